import { field, isRecord, listOf } from '@palimpsest/messages';
import type { ApiMessage } from './host.js';
import type { ReadRow } from './transcript.js';

const kinds: Readonly<Record<string, string>> = { image: 'an image', document: 'a document' };

/**
 * Returns the images and documents that stand in no row's text, by the place of their row in `read`. Where the place is not clear it is
 * the last that is possible.
 */
export function mediaOf(
  messages: readonly ApiMessage[],
  read: readonly ReadRow[],
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const add = (place: number, names: readonly string[]) => {
    if (names.length > 0) found.set(place, [...(found.get(place) ?? []), ...names]);
  };
  const calls = new Map(read.flatMap(({ row }) => row.toolUses.map((use) => [use.tool_use_id, use] as const)));
  const results = new Map(
    read.flatMap(({ row }, place) => (row.toolResults ?? []).map(({ tool_use_id: id }) => [id, place] as const)),
  );
  let from = 0;
  for (const { content } of messages) {
    const texts = content.map((block) => field(block, 'text')).filter((text) => typeof text === 'string');
    const shown = content.flatMap((block) => kinds[String(field(block, 'type'))] ?? []);
    for (const block of content) {
      const id = field(block, 'type') === 'tool_result' ? field(block, 'tool_use_id') : undefined;
      const place = results.get(String(id));
      if (typeof id !== 'string' || place === undefined) continue;
      from = Math.max(from, place + 1);
      const names = listOf(field(block, 'content')).flatMap((part) => kinds[String(field(part, 'type'))] ?? []);
      const input = calls.get(id)?.input;
      const path = isRecord(input) ? (input['file_path'] ?? input['path'] ?? input['url']) : undefined;
      add(
        place,
        names.map((name) => (typeof path === 'string' ? `${name} (${path})` : name)),
      );
    }
    if (shown.length > 0) add(placeOfWords(read, from, texts), shown);
  }
  return found;
}

/** The row of the person with one of the texts, else the last one before the next result. */
function placeOfWords(read: readonly ReadRow[], from: number, texts: readonly string[]): number {
  let last = read.length - 1;
  for (let place = from; place < read.length; place++) {
    const { row } = read[place] as ReadRow;
    if (row.role === 'user' && row.toolResults === undefined && isAmong(texts, row.text)) return place;
    if (row.toolResults !== undefined && place > from) return last;
    last = place;
  }
  return last;
}

/** Returns the sentence that takes the place of images and documents. */
export function mediaNote(names: readonly string[]): string {
  return `[Left out here, and not in the text: ${names.join(', ')}. Read it again if it matters.]`;
}

function isAmong(texts: readonly string[], words: string): boolean {
  return (
    texts.some((text) => text === words || (words.length > 40 && text.includes(words))) || texts.join('\n') === words
  );
}
