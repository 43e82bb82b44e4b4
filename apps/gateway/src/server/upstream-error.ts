/** A provider could not be reached, or what it sent is no answer. The message names neither a path nor a header. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(host: string, cause: unknown) {
    super(`${host} could not be reached: ${reasonOf(cause)}.`);
  }
}

const ofCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/;

function reasonOf(cause: unknown): string {
  const { code, message = '' } = cause as { readonly code?: unknown; readonly message?: string };
  const status = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (status !== undefined) return `the proxy answered ${status}`;
  if (typeof code !== 'string') return typeof cause === 'string' ? cause : 'it sent no answer';
  return ofCertificate.test(code)
    ? `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS names a file of further ones`
    : code;
}
