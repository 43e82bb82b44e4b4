/** How a stream begins: with the name of a field, or with a comment. */
const streamStart = /^\s*(?:data|event|id|retry|:)/;

/**
 * The JSON of a response to a request for a stream, where the server ignored `stream: true`; undefined for a stream, whose body stays
 * unread, and for an empty body. The beginning of the body decides, because servers and proxies name a wrong type, or none.
 *
 * @throws SyntaxError when the body is neither; what `fetch` throws when it breaks off.
 */
export async function plainAnswer(response: Response): Promise<unknown> {
  const reader = response.clone().body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    text += value;
    if (streamStart.test(text)) break;
    if (done) return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  }
  // The caller reads the other half of the clone.
  reader?.cancel().catch(() => undefined);
  return undefined;
}
