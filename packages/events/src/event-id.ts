import type { EventId } from './event-base.js';

/**
 * A new UUIDv7: 48 bits of the time in milliseconds, then random bits.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7 | RFC 9562, 5.7}
 */
export function newEventId(now: number = Date.now()): EventId {
  const bytes = new Uint8Array(16);
  globalThis.crypto.getRandomValues(bytes);
  let time = now;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  let hex = '';
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
