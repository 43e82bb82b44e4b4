import type { EventId } from './event-base.js';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const addressShape = /^[0-9a-hjkmnp-tv-z]{8}$/;

/**
 * Returns the short name of an event, by which a model refers to it: 8 characters (40 bits) that depend on the event's
 * id alone, so a restart or a fork changes none. Labels, notes in the place of hidden text, and summaries all use it.
 * Two events of one log can have the same address, about once in 20,000 logs of 10,000 events each: who resolves one
 * reads every event and refuses an address that fits two.
 *
 * @example
 * ```ts
 * addressOf('018f3c5e-7b1a-7c3d-8e4f-000000000001'); // 'yrbkze44'
 * ```
 */
export function addressOf(id: EventId): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
  }
  return digits(mixed(first)) + digits(mixed(second ^ id.length));
}

/** Returns true for text in the form of an address, whether or not it names an event. */
export function isAddress(text: string): boolean {
  return addressShape.test(text);
}

/** Spreads the differences of its input over all 32 bits. @see the finalizer of MurmurHash3 (public domain) */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function digits(bits: number): string {
  let text = '';
  for (let shift = 0; shift < 20; shift += 5) text += alphabet[(bits >>> shift) & 31] ?? '';
  return text;
}
