import type { ProviderServer, ServerSentEvent } from '../src/servers/http.js';
import { objectIn } from '../src/rules/wire/wire-json.js';
import type { JsonObject } from '../src/rules/wire/wire-json.js';

// A client without an SDK, for the tests of the server: what a test sends is what arrives.

/** An answer, or the words of a refusal. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  /** The words of a refusal; empty for an answer. */
  readonly refusal: string;
}

/** Sends a body to an endpoint as it is. */
export async function post(
  server: ProviderServer,
  body: unknown,
  { path = '/v1/messages', headers = {} }: { readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  const response = await fetch(server.baseURL + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const json = objectIn(await response.json()) ?? {};
  const { message } = objectIn(json.error) ?? {};
  return {
    status: response.status,
    headers: response.headers,
    body: json,
    refusal: typeof message === 'string' ? message : '',
  };
}

/** Streams an answer to its end, or to where the connection ends. */
export async function postStreamed(
  server: ProviderServer,
  body: JsonObject,
): Promise<{ readonly status: number; readonly events: readonly ServerSentEvent[]; readonly isComplete: boolean }> {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
  });
  const decoder = new TextDecoder();
  let text = '';
  let isComplete = true;
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch {
    isComplete = false;
  }
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  return {
    status: response.status,
    isComplete,
    events: frames.map((frame) => {
      const match = /^event: (\w+)\ndata: (.+)$/.exec(frame);
      return { event: match?.[1] ?? '', data: JSON.parse(match?.[2] ?? 'null') as unknown };
    }),
  };
}
