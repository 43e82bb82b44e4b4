import type { PiMessage } from '../src/codec/pi-message.js';

// Lists in the shapes that pi 1.5.2 gave the handlers of `context`, with texts of our own.

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const cost = { input: 0.007, output: 0.0003, cacheRead: 0, cacheWrite: 0, total: 0.0073, totalFromProvider: false };
const usage = {
  input: 1428,
  output: 14,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 1442,
  cost,
  cacheWrite1h: 0,
  reasoning: 4,
};

/** A message with any fields. */
export function piMessage(fields: { readonly role: string; readonly [field: string]: unknown }): PiMessage {
  return fields;
}

export function user(content: unknown): PiMessage {
  return piMessage({ role: 'user', content, timestamp: 1_795_820_741_491 });
}

/** An answer of the model. `fields` take the place of its own. */
export function answer(content: readonly object[], fields: object = {}): PiMessage {
  const stopReason = content.some((part) => 'arguments' in part) ? 'toolUse' : 'stop';
  return piMessage({
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    usage,
    stopReason,
    timestamp: 1_795_820_741_536,
    responseId: 'msg_1',
    rawStopReason: stopReason === 'stop' ? 'end_turn' : 'tool_use',
    durationMs: 376,
    thinkingLevel: 'medium',
    ...fields,
  });
}

export function call(id: string, name: string, input: object): object {
  return { type: 'toolCall', id, name, arguments: input };
}

function thought(thinking: string, thinkingSignature = `signed ${thinking}`): object {
  return { type: 'thinking', thinking, thinkingSignature };
}

export function result(
  toolCallId: string,
  toolName: string,
  content: readonly object[],
  fields: object = {},
): PiMessage {
  return piMessage({
    role: 'toolResult',
    toolCallId,
    toolName,
    content,
    isError: false,
    durationMs: 73,
    timestamp: 1_795_820_742_102,
    ...fields,
  });
}

export function text(words: string): object {
  return { type: 'text', text: words };
}

/** Steps of an agent that reads files. Every third has two calls, the fourth fails, the seventh returns an image. */
export function toolSteps(from: number, to: number, words = 60): PiMessage[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset).flatMap((step) => {
    const ids = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_one, index) => `toolu_${step}_${index}`);
    const said = step % 2 === 0 ? [text(`Step ${step}.`)] : [];
    return [
      answer([thought(`Thought ${step}.`), ...said, ...ids.map((id) => call(id, 'read', { path: `src/${id}.ts` }))]),
      ...ids.map((id) => {
        if (step === 4) return result(id, 'read', [text('ENOENT: no such file')], { isError: true, details: {} });
        if (step === 7) return result(id, 'read', [text('Read image file [image/png]'), image]);
        return result(id, 'read', [text(`Content of ${id}: ${'word '.repeat(words)}`)], { details: { lines: 3 } });
      }),
    ];
  });
}

/** A task and its steps. */
export function plainConversation(steps = 10, words = 60): PiMessage[] {
  return [user([text('Read all the files and say what they do.')]), ...toolSteps(0, steps, words)];
}

/** Returns the same messages of a model that does not think. */
export function withoutThinking(messages: readonly PiMessage[]): PiMessage[] {
  return messages.map((message) => {
    const { content } = message as { readonly content?: unknown };
    if (message.role !== 'assistant' || !Array.isArray(content)) return message;
    return { ...message, content: content.filter((part: { readonly type: string }) => part.type !== 'thinking') };
  });
}

/** Every role that pi has, and the answers of other providers. */
export function richConversation(): PiMessage[] {
  const responses = { api: 'openai-responses', provider: 'openai', model: 'gpt-5', responseId: 'resp_1' };
  const sealed = JSON.stringify({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' });
  const completions = { api: 'openai-completions', provider: 'groq', model: 'qwen', responseId: undefined };
  return [
    piMessage({ role: 'compactionSummary', summary: 'The shop has two bugs.', tokensBefore: 50_000, timestamp: 1 }),
    user([text('What is in this picture?'), image]),
    answer([thought('', 'redacted'), text('A pixel.')], {
      content: [{ ...thought('', 'sealed'), redacted: true }, text('A pixel.')],
    }),
    piMessage({
      role: 'bashExecution',
      command: 'git status',
      output: 'clean',
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 2,
    }),
    piMessage({
      role: 'bashExecution',
      command: 'env',
      output: 'SECRET=1',
      exitCode: 1,
      cancelled: false,
      truncated: false,
      excludeFromContext: true,
      timestamp: 3,
    }),
    piMessage({ role: 'branchSummary', summary: 'Another way was tried.', fromId: 'a0b1c2d3', timestamp: 4 }),
    piMessage({ role: 'custom', customType: 'plan-mode', content: 'Plan first.', display: false, timestamp: 5 }),
    user('Now read the files.'),
    answer([text('Half an ans')], { stopReason: 'aborted', errorMessage: 'Request was aborted' }),
    ...toolSteps(0, 9, 10),
    answer([thought('', sealed), call('call_1|fc_1', 'bash', { command: 'ls' })], responses),
    result('call_1|fc_1', 'bash', [text('a.ts')]),
    answer([thought('Hm.', 'reasoning_content'), call('call_2', 'bash', { command: 'ls src' })], completions),
    result('call_2', 'bash', [text('(no output)\n\nCommand exited with code 1')], { isError: true }),
    answer([text('All is read.')]),
    user('Thanks.'),
  ];
}
