const sendable = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Returns true for a call id that every provider accepts.
 *
 * @see provider-rules A7 (characters) and B3 (40 characters)
 */
export function isSendableCallId(id: string): boolean {
  return sendable.test(id);
}

/**
 * Returns the id under which a call is sent if its own id cannot be sent. It has 21 characters. The same event always gets the
 * same alias.
 */
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
  // UTF-8 encodes every unpaired surrogate as U+FFFD. JSON escapes keep them different.
  for (const byte of new TextEncoder().encode(text.isWellFormed() ? text : JSON.stringify(text))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
