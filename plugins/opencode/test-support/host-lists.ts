import type { HostMessage, HostPart } from '../src/list/host.js';

// Lists as the transform hook of opencode 1.18.33 gave them: the fields and their kinds, with words of our own.

const sessionID = 'ses_1';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const imageUrl = `data:image/png;base64,${png}`;
const model = { providerID: 'anthropic', modelID: 'claude-opus-4-5' };
let count = 0;

function messageOf(info: object, parts: readonly object[]): HostMessage {
  const id = `msg_${String(++count).padStart(6, '0')}`;
  const placed = parts.map((part, index) => ({ ...part, id: `prt_${id}_${index}`, sessionID, messageID: id }));
  return { info: { ...info, id, sessionID }, parts: placed } as unknown as HostMessage;
}

export function userMessage(...parts: readonly (string | object)[]): HostMessage {
  const info = { role: 'user', time: { created: 1 }, agent: 'build', model, summary: { diffs: [] } };
  return messageOf(
    info,
    parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  );
}

export function answer(parts: readonly object[], info: object = {}): HostMessage {
  const { providerID, modelID } = model;
  const tokens = { total: 910, input: 0, output: 10, reasoning: 0, cache: { write: 100, read: 800 } };
  return messageOf(
    {
      parentID: 'msg_000001',
      role: 'assistant',
      mode: 'build',
      agent: 'build',
      path: { cwd: '/shop', root: '/shop' },
      cost: 0.01,
      tokens,
      modelID,
      providerID,
      time: { created: 2, completed: 3 },
      finish: 'tool-calls',
      ...info,
    },
    [
      { type: 'step-start', snapshot: 'aa' },
      ...parts,
      { type: 'step-finish', reason: 'tool-calls', snapshot: 'aa', tokens, cost: 0.01 },
    ],
  );
}

export function toolPart(callID: string, state: object = {}): HostPart {
  return {
    type: 'tool',
    tool: 'read',
    callID,
    state: {
      status: 'completed',
      input: { filePath: `/shop/${callID}.ts` },
      output: `Content of ${callID}: ${'word '.repeat(40)}`,
      metadata: { preview: 'Content', truncated: false },
      title: `${callID}.ts`,
      time: { start: 1, end: 2 },
      ...state,
    },
  } as HostPart;
}

/** Steps of one turn: each its own message, two calls in every third. */
export function steps(from: number, to: number): HostMessage[] {
  return Array.from({ length: to - from }, (_, place) => {
    const step = from + place;
    const calls = step % 3 === 2 ? [`call_${step}_0`, `call_${step}_1`] : [`call_${step}_0`];
    const words = step % 2 === 0 ? [{ type: 'text', text: `Step ${step}.`, time: { start: 1, end: 2 } }] : [];
    const thought = {
      type: 'reasoning',
      text: `Thought ${step}.`,
      metadata: { anthropic: { signature: `signed-${step}` } },
      time: { start: 1, end: 2 },
    };
    return answer([thought, ...words, ...calls.map((id) => toolPart(id))]);
  });
}

/** A plain loop. */
export function loopOf(count: number): HostMessage[] {
  return [userMessage('Read all the files of the shop.'), ...steps(0, count)];
}

/** Files, images, failures, a shell that was stopped, a stopped answer, a tool of the provider, and parts that nobody reads. */
export function richList(): HostMessage[] {
  return [
    userMessage(
      'What is in this picture?',
      { type: 'file', mime: 'image/png', url: imageUrl, filename: 'pixel.png' },
      { type: 'file', mime: 'text/plain', url: 'file:///shop/plan.txt', filename: 'plan.txt' },
      { type: 'file', mime: 'application/pdf', url: 'data:application/pdf;base64,JVBERi0=', filename: 'plan.pdf' },
      { type: 'text', text: 'Only people read this.', ignored: true },
      { type: 'agent', name: 'explore' },
    ),
    answer([{ type: 'text', text: 'A pixel.' }], { finish: 'stop' }),
    userMessage('Now read the files.', { type: 'subtask', prompt: 'x', description: 'y', agent: 'general' }),
    ...steps(20, 24),
    answer([toolPart('call_failed', { status: 'error', error: 'No such file.', output: undefined })]),
    answer([
      toolPart('call_image', {
        attachments: [{ type: 'file', mime: 'image/png', url: imageUrl }],
        output: 'A picture:',
      }),
    ]),
    answer([
      toolPart('call_stopped', {
        status: 'error',
        error: 'Tool execution aborted',
        metadata: { interrupted: true, output: 'Half of the output.' },
        output: undefined,
      }),
    ]),
    answer([toolPart('call_cleared', { time: { start: 1, end: 2, compacted: 5 } })]),
    answer([{ type: 'text', text: 'I was' }], { error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } }),
    answer([], { error: { name: 'APIError', data: { message: 'Overloaded', isRetryable: true } } }),
    userMessage('Go on.'),
    answer([
      { ...toolPart('call_search'), tool: 'web_search', metadata: { providerExecuted: true } },
      { type: 'patch', hash: 'ab', files: ['/shop/a.ts'] },
      { type: 'of-tomorrow', value: 1 },
      { type: 'text', text: 'Found it.' },
    ]),
    ...steps(24, 33),
    answer([{ type: 'text', text: 'All is read.' }], { finish: 'stop' }),
    userMessage('Thanks.'),
  ];
}

/** What opencode sends after its own compaction: its question, its summary, then the steps that it kept. */
export function compactedList(): HostMessage[] {
  return [
    userMessage({ type: 'compaction', auto: true, overflow: false }),
    answer([{ type: 'text', text: 'We have read half of the files.' }], {
      summary: true,
      mode: 'compaction',
      finish: 'stop',
    }),
    ...steps(40, 54),
    userMessage({ type: 'text', text: 'Continue if you have next steps.', synthetic: true }),
  ];
}

/** All steps of a turn in one message, as sessions of older versions have them. */
export function oldList(): HostMessage[] {
  const parts = steps(60, 70).flatMap(({ parts }) => parts);
  return [userMessage('Read them.'), answer(parts), userMessage('And now?')];
}
