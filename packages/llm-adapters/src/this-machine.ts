/** True for an address on the local machine: a local server needs no key, and no network lies between. */
export function isThisMachine(baseURL: string | undefined): boolean {
  if (baseURL === undefined || !URL.canParse(baseURL)) return false;
  const { hostname } = new URL(baseURL);
  return /^(localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname) || hostname.endsWith('.localhost');
}
