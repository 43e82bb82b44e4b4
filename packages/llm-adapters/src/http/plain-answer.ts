/**
 * The JSON of a response to a request for a stream, where the server ignored `stream: true`; undefined for a stream. The body of a
 * stream stays unread.
 *
 * @throws SyntaxError when the body is not JSON; what `fetch` throws when it breaks off.
 */
export async function plainAnswer(response: Response): Promise<unknown> {
  const isJson = /\bjson\b/i.test(response.headers.get('content-type') ?? '');
  return isJson ? (JSON.parse(await response.text()) as unknown) : undefined;
}
