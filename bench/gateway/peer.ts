import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The setting of the process of the client and the provider. */
export interface PeerRequest {
  /** The address that the client sends to. */
  readonly url: string;
  /** Tells conversations apart. */
  readonly conversation: string;
  /** Each is a call, and its result. */
  readonly steps: number;
}

/** The messages of that process: the provider's address, then the size of each body when its answer has come. Unit: bytes. */
export type PeerMessage = { readonly baseURL: string } | { readonly bytes: number };

/** An agent that reads files, with lines of which no two are equal. Unit of the results: some 3,400 characters. */
function step(index: number): readonly object[] {
  const id = `toolu_${index}`;
  const lines = Array.from(
    { length: 70 },
    (_, line) => `  const price${index}_${line} = rounded(net * ${index + line});`,
  );
  const input = { path: `src/shop/module-${index}.ts`, limit: 70 };
  const text = `I read module ${index} next – it holds what the one before imports.`;
  const content = [
    { type: 'text', text },
    { type: 'tool_use', id, name: 'read', input },
  ];
  const result = { type: 'tool_result', tool_use_id: id, content: `# ${input.path}\n${lines.join('\n')}` };
  return [
    { role: 'assistant', content },
    { role: 'user', content: [result] },
  ];
}

// A client and a provider in a process of their own, so that what is measured is what stands between them.
const answer = JSON.stringify({
  content: [],
  usage: { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 9 },
});
const provider = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => outgoing.setHeader('content-type', 'application/json').end(answer));
}).listen(0, '127.0.0.1');
await once(provider, 'listening');

function bodyOf({ conversation, steps: count }: PeerRequest): string {
  const list = Array.from({ length: count }, (_, index) => step(index)).flat();
  const last = list.at(-1) as { readonly content: readonly object[] };
  const content = last.content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } }));
  return JSON.stringify({
    model: 'claude-opus-4-7',
    max_tokens: 32_000,
    system: `You work on conversation ${conversation}.`,
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: `This is ${conversation}.` }, ...list.slice(0, -1), { ...last, content }],
  });
}

const tell = (message: PeerMessage): void => void process.send?.(message);
process.on('message', (request: PeerRequest) => {
  const body = bodyOf(request);
  void fetch(`${request.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-beta': 'context-1m-2025-08-07' },
    body,
  })
    .then((response) => response.text())
    .then(() => tell({ bytes: Buffer.byteLength(body) }));
});
tell({ baseURL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` });
