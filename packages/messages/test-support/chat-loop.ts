import type OpenAI from 'openai';

export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** Returns a history of tool steps, as a loop on Chat Completions holds it. Every third step has two calls. */
export function chatHistory(steps: number, words = 60): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: 'Read all the files and say what they do.' },
  ];
  for (let step = 0; step < steps; step++) addChatStep(messages, step, words);
  return messages;
}

export function addChatStep(messages: ChatMessage[], step: number, words = 60): void {
  const calls = step % 3 === 2 ? 2 : 1;
  const ids = Array.from({ length: calls }, (_, index) => `call_${step}_${index}`);
  messages.push({
    role: 'assistant',
    content: step % 2 === 0 ? `Step ${step}.` : null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'read', arguments: JSON.stringify({ path: `src/${id}.ts` }) },
    })),
  });
  for (const id of ids) {
    messages.push({ role: 'tool', tool_call_id: id, content: `Content of ${id}: ${'word '.repeat(words)}` });
  }
}

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Images, failed results, words in parts, names, and a developer's message among the others. */
export function richChatHistory(): ChatMessage[] {
  const messages: ChatMessage[] = [
    { role: 'developer', content: [{ type: 'text', text: 'You are a careful assistant.' }] },
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'What is in this picture?' },
        { type: 'image_url', image_url: { url: pixel, detail: 'low' } },
      ],
    },
    { role: 'assistant', content: 'A pixel.', refusal: null },
    { role: 'user', content: 'Now read the files.' },
  ];
  for (let step = 0; step < 9; step++) {
    addChatStep(messages, step, 10);
    if (step === 4) messages.push({ role: 'developer', content: 'Be brief.' }, { role: 'user', content: 'Go on.' });
  }
  messages.push({ role: 'assistant', content: [{ type: 'text', text: 'All is read.' }] });
  messages.push({ role: 'user', content: 'Thanks. What was the first file?' });
  return messages;
}
