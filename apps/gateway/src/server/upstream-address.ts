import { GatewayError } from '../gateway-error.js';

/**
 * Returns the base URL of a provider, without a slash at its end.
 *
 * @throws {@link GatewayError} when it is no address that a path can follow, or holds a credential
 */
export function upstreamAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new GatewayError('invalid-upstream', `'${withoutUser(text)}' is no address of http or https.`);
  if (url.username !== '' || url.password !== '')
    throw new GatewayError(
      'invalid-upstream',
      `The address of ${url.host} holds a credential: the agent has to send it in a header.`,
    );
  if (url.search !== '' || url.hash !== '')
    throw new GatewayError('invalid-upstream', `The address of ${url.host} has to end with its path.`);
  return url.href.replace(/\/+$/, '');
}

function withoutUser(text: string): string {
  return text.replace(/[^/]*@/, '');
}
