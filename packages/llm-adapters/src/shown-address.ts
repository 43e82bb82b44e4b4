/** A server's address for an error: never its user, its password, or its parameters, in which gateways take keys. */
export function shownAddress(baseURL: string): string {
  if (!URL.canParse(baseURL)) return baseURL.includes('@') || baseURL.includes('?') ? 'what was given' : `'${baseURL}'`;
  const { protocol, host, pathname, href } = new URL(baseURL);
  // Without a scheme, `localhost:8000/v1` parses as a path of the scheme `localhost:`.
  if (host === '') return shownAddress(`http://${href}`);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}
