import { addressOf } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const address = /\b[0-9a-hjkmnp-tv-z]{8}\b/g;
const firstSecond = Date.UTC(2026, 0, 1);

/**
 * A log as JSON Lines that is independent of the time of its recording: ids become numbers, wherever they occur, addresses
 * are those of the numbers, and the events are one second apart. Two recordings of the same work are the same text.
 */
export function neutralLog(events: readonly Event[]): string {
  const numbers = new Map<string, string>();
  const addresses = new Map<string, string>();
  const numbered = (id: string) => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const number = `00000000-0000-7000-8000-${String(numbers.size + 1).padStart(12, '0')}`;
    numbers.set(id, number);
    addresses.set(addressOf(id), addressOf(number));
    return number;
  };
  return events
    .map((event, index) => {
      const timestamp = new Date(firstSecond + index * 1_000).toISOString();
      const text = JSON.stringify({ ...event, timestamp }).replace(uuid, numbered);
      return `${text.replace(address, (known) => addresses.get(known) ?? known)}\n`;
    })
    .join('');
}
