/** Creates and opens tokens that cannot be forged without the key. */
export interface Seals {
  /** A short digest of a text. */
  digest(text: string): string;
  /** The claims as a token. */
  seal(claims: object): string;
  /** The claims of a token; undefined if it is not a token or was sealed with another key. */
  open(token: string): unknown;
}

/** Creates seals with a key. Only this function loads `node:crypto`, so the rest of the folder runs without Node. */
export async function sealsFrom(key: string): Promise<Seals> {
  const { createHash, createHmac } = await import('node:crypto');
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    digest: (text) => createHash('sha256').update(text).digest('base64url').slice(0, 16),
    seal: (claims) => {
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${text}.${mac(text)}`;
    },
    open: (token) => {
      const [text = '', code] = token.split('.');
      if (code !== mac(text)) return undefined;
      return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    },
  };
}
