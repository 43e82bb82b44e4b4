/** They belong to one connection, or are made anew for the next one. The length stays, for a body that passes unread. */
const ownOfConnection = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Returns the headers of a request for its provider. The answer is asked for as it is, without compression, so that it passes byte for byte and its
 * usage can be read.
 */
export function forwardedHeaders(headers: Headers): Headers {
  const forwarded = new Headers(headers);
  const named = (headers.get('connection') ?? '').split(',').map((name) => name.trim());
  for (const name of [...ownOfConnection, ...named]) if (name !== '') forwarded.delete(name);
  forwarded.set('accept-encoding', 'identity');
  return forwarded;
}

/** Returns true if a request is paid by a subscription: Claude's OAuth tokens, and the login of ChatGPT. */
export function isSubscription(headers: Headers): boolean {
  const credential = headers.get('authorization') ?? '';
  return /^bearer sk-ant-oat/i.test(credential) || headers.has('chatgpt-account-id');
}
