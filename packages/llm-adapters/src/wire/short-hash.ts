const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/**
 * 64 bits of a text as 16 hexadecimal digits, always the same for the same text. Not for secrets.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9923 | FNV-1a}
 */
export function shortHash(text: string): string {
  let hash = offsetBasis;
  // UTF-8 encodes all lone surrogates alike; escaping keeps them distinct.
  const sound = text.isWellFormed() ? text : JSON.stringify(text);
  for (const byte of new TextEncoder().encode(sound)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
}
