// A coding agent in a loop on `openai`. Its commands run as you: start it where that is fine, or give `runCommandTool` a sandbox. It
// needs OPENAI_API_KEY, and for another server OPENAI_BASE_URL.
import { pricedCondenser } from '@palimpsest/condensers';
import { chatMessages, condensedHistory } from '@palimpsest/messages';
import { openWorkspace, toolbox, workspaceTools } from '@palimpsest/tools';
import OpenAI from 'openai';

const client = new OpenAI();
const model = 'gpt-5';
const box = toolbox(workspaceTools(await openWorkspace(process.cwd())));
const tools = box.tools.map(({ name, description, inputSchema: parameters }) => {
  return { type: 'function' as const, function: { name, description, parameters } };
});
const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), model });
const content = process.argv[2] ?? 'Run the tests of this project, and repair what fails.';
const conversation: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content }];

for (;;) {
  const { messages } = await history.fit(conversation, { tools });
  const { choices } = await client.chat.completions.create({ model, messages, tools });
  const answer = choices[0]!.message;
  conversation.push(answer);
  if (answer.content !== null) console.log(answer.content);
  if (answer.tool_calls === undefined) break;
  for (const call of answer.tool_calls) {
    const { name, arguments: input } =
      call.type === 'function' ? call.function : { name: call.custom.name, arguments: '' };
    conversation.push({ role: 'tool', tool_call_id: call.id, content: (await box.call({ name, input })).content });
  }
}
