const sendable = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * True for a call id that every provider takes.
 *
 * @see provider-rules A7 (characters) and B3 (40 characters)
 */
export function isSendableCallId(id: string): boolean {
  return sendable.test(id);
}

/** The id under which a call is sent whose own id cannot be: always the same for the same event, 21 characters. */
export function callAlias(eventId: string): string {
  return `call_${fnv1a64(eventId).toString(16).padStart(16, '0')}`;
}

/**
 * A hash of 64 bits. Not for secrets.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9923 | The FNV non-cryptographic hash}
 */
function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  // UTF-8 has one form for all halves of surrogate pairs; escaped they are told apart.
  for (const byte of new TextEncoder().encode(text.isWellFormed() ? text : JSON.stringify(text))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
