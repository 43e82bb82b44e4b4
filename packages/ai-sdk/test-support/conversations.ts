import type { ModelMessage } from 'ai';
import type { AiMessage } from '../src/index.js';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Tool steps as `generateText` adds them to its messages. Every third step has two calls, every fourth result has failed. */
export function toolSteps(from: number, to: number, words = 20): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (let step = from; step < to; step++) {
    const ids = Array.from({ length: step % 3 === 2 ? 2 : 1 }, (_, index) => `call_${step}_${index}`);
    messages.push({
      role: 'assistant',
      content: [
        ...(step % 2 === 0 ? [{ type: 'text' as const, text: `Step ${step}.` }] : []),
        ...ids.map((toolCallId) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName: 'read',
          input: { path: `src/${toolCallId}.ts` },
        })),
      ],
    });
    messages.push({
      role: 'tool',
      content: ids.map((toolCallId) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName: 'read',
        output:
          step % 4 === 3
            ? { type: 'error-text' as const, value: `No file ${toolCallId}.` }
            : { type: 'text' as const, value: `Content of ${toolCallId}: ${'word '.repeat(words)}` },
      })),
    });
  }
  return messages;
}

export function plainConversation(steps = 14): ModelMessage[] {
  return [{ role: 'user', content: 'Read all the files and say what they do.' }, ...toolSteps(0, steps)];
}

/** Images, files, reasoning of three providers, results in all forms, an approval, a tool of the provider, a compaction. */
export function richConversation(): ModelMessage[] {
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return [
    { role: 'system', content: 'You are a careful assistant.', providerOptions: cached },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in this picture?', providerOptions: cached },
        { type: 'image', image: pixel, mediaType: 'image/png' },
        { type: 'image', image: 'https://example.com/a.png' },
        { type: 'file', data: pixel, mediaType: 'image/png', filename: 'pixel.png' },
        { type: 'file', data: new Uint8Array([37, 80, 68, 70]), mediaType: 'application/pdf', filename: 'paper.pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'A pixel.', providerOptions: { anthropic: { signature: 'c2ln' } } },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'cmVk' } } },
        { type: 'text', text: 'A pixel.' },
      ],
    },
    { role: 'user', content: 'Now read the files.' },
    ...toolSteps(0, 5),
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'Search.',
          providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'e' } },
        },
        { type: 'text', text: 'I search.', providerOptions: { openai: { itemId: 'msg_1' } } },
        {
          type: 'tool-call',
          toolCallId: 'ws_1',
          toolName: 'web_search',
          input: { query: 'pixels' },
          providerExecuted: true,
          providerOptions: { openai: { itemId: 'ws_1' } },
        },
        {
          type: 'tool-result',
          toolCallId: 'ws_1',
          toolName: 'web_search',
          output: { type: 'json', value: [{ url: 'https://example.com', title: 'Pixels' }] },
        },
        { type: 'text', text: 'Found.' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Unsigned.' },
        {
          type: 'tool-call',
          toolCallId: 'shot',
          toolName: 'screenshot',
          input: {},
          providerOptions: { google: { thoughtSignature: 't' } },
        },
        { type: 'tool-call', toolCallId: 'list', toolName: 'list', input: { path: '.' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'shot',
          toolName: 'screenshot',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'The screen.' },
              { type: 'image-data', data: pixel, mediaType: 'image/png' },
            ],
          },
          providerOptions: cached,
        },
        {
          type: 'tool-result',
          toolCallId: 'list',
          toolName: 'list',
          output: { type: 'json', value: ['a.ts', 'b.ts'] },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'May I?' },
        { type: 'tool-call', toolCallId: 'rm', toolName: 'remove', input: { path: 'a.ts' } },
        { type: 'tool-approval-request', approvalId: 'approval_1', toolCallId: 'rm' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'approval_1', approved: true }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'rm',
          toolName: 'remove',
          output: { type: 'error-json', value: { code: 'EPERM' } },
        },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'rm2', toolName: 'remove', input: { path: 'b.ts' } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'rm2',
          toolName: 'remove',
          output: { type: 'execution-denied', reason: 'Not b.' },
        },
      ],
    },
    ...toolSteps(5, 9),
    { role: 'assistant', content: 'All is read.' },
    { role: 'user', content: 'Thanks. What was the first file?' },
  ];
}

/** Returns the messages as `generateText` passes them to a model: contents in parts, without what is the SDK's own. */
export function promptOf(messages: readonly ModelMessage[]): AiMessage[] {
  return messages.map((message): AiMessage & { content: unknown } => {
    if (message.role === 'system' || typeof message.content !== 'string') return message;
    return { ...message, content: [{ type: 'text', text: message.content }] };
  });
}
