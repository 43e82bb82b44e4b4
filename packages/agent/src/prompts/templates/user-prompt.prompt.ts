/** `user_prompt.j2`: an example for the model, shown in front of the workspace context. Empty: none is needed. */
export const userPrompt = '';
