import { field, textOf } from '../wire/json-fields.js';

/**
 * Returns the error in a body, however a server wraps it: `{ error: {…} }` as OpenAI, the same in a list as Gemini, `{
 * error: "…" }` as Ollama, flat as Mistral and older vLLM, `{ detail }` as servers built on FastAPI. Undefined if there
 * is none.
 *
 * @see provider-rules D
 */
export function errorInBody(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const whole: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(whole) || whole.choices !== undefined || whole.output !== undefined) return undefined;
  const { error, detail } = whole;
  if (isRecord(error)) return error;
  if (typeof error === 'string') return { ...whole, message: error };
  if (detail !== undefined) return { message: typeof detail === 'string' ? detail : JSON.stringify(detail) };
  const isFlat =
    whole.object === 'error' || whole.type === 'error' || whole.code !== undefined || whole.type !== undefined;
  if (typeof whole.message === 'string') return isFlat ? whole : undefined;
  // Mistral's validation errors are an object under `message`.
  return isRecord(whole.message) && isFlat ? { ...whole, message: JSON.stringify(whole.message) } : undefined;
}

/**
 * Returns the error in a body with status 200, in the form in which the SDK throws other errors. Undefined for an answer.
 *
 * @see provider-rules D, OpenRouter
 */
export function errorInResponse(response: unknown): ErrorInAnswer | undefined {
  // A response of the Responses API has both fields, and one of them is null.
  const failed = field(response, 'object') === 'response' ? field(response, 'error') : undefined;
  const error = isRecord(failed) ? failed : errorInBody(response);
  return error === undefined ? undefined : new ErrorInAnswer(error);
}

/** An error that came in place of an answer, or inside a stream after status 200. */
export class ErrorInAnswer extends Error {
  readonly error: Readonly<Record<string, unknown>>;

  constructor(error: Readonly<Record<string, unknown>>) {
    super(textOf(error.message) ?? 'an error in place of an answer');
    this.error = error;
  }
}

/** The connection or the stream broke after the answer had begun. */
export class BrokenStream extends Error {
  constructor(cause: unknown) {
    super(`the stream broke off: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * Iterates over a stream and calls `onActivity` for each piece. Marks errors of the stream, to distinguish them from
 * errors in the reader's own code.
 */
export async function* piecesOfStream<Piece>(
  stream: AsyncIterable<Piece>,
  onActivity: () => void,
): AsyncGenerator<Piece> {
  try {
    for await (const piece of stream) {
      onActivity();
      yield piece;
    }
  } catch (thrown) {
    const error = field(thrown, 'error');
    if (isRecord(error)) throw new ErrorInAnswer(error);
    throw new BrokenStream(thrown);
  }
}

type Fetch = typeof globalThis.fetch;

/**
 * Returns a `fetch` that adapts responses to the SDK. An error body gets the shape of OpenAI's: the SDK keeps only the
 * field `error`, so the message of a server with flat errors would be lost. An answer without streaming is read to its
 * end here, so that the SDK recognises a lost connection as a connection error.
 */
export function withReadableBodies(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status, statusText } = response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    if (status < 400 && (isStream || response.body === null)) return response;
    const text = await response.text();
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name);
    return new Response(status < 400 ? text : readable(text), { status, statusText, headers });
  };
}

function readable(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = errorInBody(body);
    return error === undefined ? text : JSON.stringify({ error });
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
