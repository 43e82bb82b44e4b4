import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { onTestFinished } from 'vitest';

/** Options of a server of Chat Completions. */
export type ChatServerOptions = Parameters<typeof openaiServer>[0];

/** Returns a call of a tool, on the wire. */
export function toolCall(name: string, input: object, id = 'call_1'): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

/** Returns an answer that calls tools. */
export function calls(content: string | null, ...tool_calls: object[]) {
  return { message: { content, tool_calls } };
}

/** Returns an answer in words. */
export function says(content: string) {
  return { message: { content } };
}

/** Returns a compatible server until the end of the test. */
export async function chatServer(options: ChatServerOptions): Promise<ProviderServer> {
  const server = await openaiServer({ profile: 'llama.cpp', ...options });
  onTestFinished(() => server.close());
  return server;
}
