import type Anthropic from '@anthropic-ai/sdk';

export type AnthropicMessage = Anthropic.MessageParam;

/** Returns a history of tool steps, as a loop on the Messages API holds it. Every third step has two calls. */
export function anthropicHistory(steps: number, words = 60): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [{ role: 'user', content: 'Read all the files and say what they do.' }];
  for (let step = 0; step < steps; step++) addAnthropicStep(messages, step, words);
  return messages;
}

export function addAnthropicStep(messages: AnthropicMessage[], step: number, words = 60, withThinking = false): void {
  const ids = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => `toolu_${step}_${index}`);
  messages.push({
    role: 'assistant',
    content: [
      ...(withThinking
        ? [{ type: 'thinking', thinking: `Thought ${step}.`, signature: `signed-${step}` } as const]
        : []),
      ...(step % 2 === 0 ? [{ type: 'text', text: `Step ${step}.` } as const] : []),
      ...ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: { path: `src/${id}.ts` } }) as const),
    ],
  });
  messages.push({ role: 'user', content: ids.map((id) => resultOf(id, words)) });
}

export function resultOf(id: string, words: number): Anthropic.ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content: `Content of ${id}: ${'word '.repeat(words)}` };
}

const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const image: Anthropic.ImageBlockParam = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };

/** Images, documents, failed results, thinking, words behind results, reminders, and a call of the provider's own tool. */
export function richAnthropicHistory(): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Today is Monday.</system-reminder>' },
        { type: 'text', text: 'What is in this picture?' },
        image,
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A plan.' }, title: 'Plan' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'pixel' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'text', text: 'A pixel.' },
      ],
    },
    { role: 'user', content: 'Now read the files.' },
  ];
  for (let step = 0; step < 9; step++) {
    addAnthropicStep(messages, step, 10, true);
    const last = messages.at(-1)?.content as Anthropic.ContentBlockParam[];
    if (step === 3) last.push({ type: 'text', text: 'And be quick.' });
    if (step === 4)
      Object.assign(last[0] ?? {}, { is_error: true, content: [{ type: 'text', text: 'No such file.' }] });
    if (step === 6) Object.assign(last[0] ?? {}, { content: [{ type: 'text', text: 'A picture:' }, image] });
  }
  // As Claude Code does, behind results and before the next answer.
  for (const at of [16, 10, 6]) messages.splice(at + 1, 0, { role: 'system', content: `Notice ${at}.` });
  messages.push({ role: 'assistant', content: 'All is read.' }, { role: 'user', content: 'Thanks.' });
  return messages;
}
