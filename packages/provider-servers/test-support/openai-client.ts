import type { ProviderServer } from '../src/servers/http.js';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined for a stream. */
  readonly body: unknown;
}

/** Sends a body to a server, with no SDK between. */
export async function post(
  { baseURL }: ProviderServer,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  return answered(await fetch(baseURL + path, init));
}

/** Asks a server for a path. */
export async function get({ baseURL }: ProviderServer, path: string): Promise<RawAnswer> {
  return answered(await fetch(baseURL + path));
}

async function answered(response: Response): Promise<RawAnswer> {
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const body: unknown = isStream || text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

/** Returns the frames of a stream, their data parsed where it is JSON. */
export function frames(text: string): readonly { readonly event: string | undefined; readonly data: unknown }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const field = (name: string) =>
        frame
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const data = field('data') ?? '';
      return {
        event: field('event'),
        data: data.startsWith('{') || data.startsWith('[{') ? (JSON.parse(data) as unknown) : data,
      };
    });
}
