import { beginOfPatch, quotedText, shortestAnchor } from './evidence.js';
import { plainLines } from './lines.js';
import type { Share } from './memory.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { shownIn } from './shown.js';

/** What an edit quotes is in view under every policy if it is nearer. Unit: model calls. */
const leastAge = 4;

/** The text that an edit quotes, and the events that held it before, as indices of the session's events. */
interface HardEdit {
  readonly quoted: string;
  readonly holders: readonly number[];
}

/**
 * Measures the share of the hard edits whose quoted text stands in one piece in the view at that call. An edit is hard if the newest result or
 * call that holds what it quotes is at least four model calls old. Indentation and printed line numbers do not count.
 */
export function hardEditMeter(session: RecordedSession): Meter<Share> {
  const edits = hardEditsOf(session);
  const share = { part: 0, whole: 0 };
  return {
    result: () => share,
    atCall: ({ index, view }) => {
      const hard = edits.get(index) ?? [];
      if (hard.length === 0) return;
      const shown = shownIn(view, session);
      const stubs = plainLines(shown.stubText());
      for (const { quoted, holders } of hard) {
        share.whole++;
        if (holders.some(shown.isWhole) || stubs.includes(quoted)) share.part++;
      }
    },
  };
}

function hardEditsOf({ events, texts, stepOf }: RecordedSession): ReadonlyMap<number, readonly HardEdit[]> {
  const plain = new Map<number, string>();
  const plainText = (index: number): string => {
    const text = plain.get(index) ?? plainLines(texts[index] ?? '');
    plain.set(index, text);
    return text;
  };
  const edits = new Map<number, HardEdit[]>();
  events.forEach((event, at) => {
    if (event.type !== 'action') return;
    const call = stepOf[at] ?? 0;
    for (const quoted of quotedBlocks(event.toolCall.arguments)) {
      const holders: number[] = [];
      for (let index = 0; index < at; index++)
        if ((stepOf[index] ?? 0) < call && plainText(index).includes(quoted)) holders.push(index);
      const newest = holders.at(-1);
      if (newest === undefined || call - (stepOf[newest] ?? 0) < leastAge) continue;
      edits.set(call, [...(edits.get(call) ?? []), { quoted, holders }]);
    }
  });
  return edits;
}

/** Returns the blocks of old text that the arguments of an edit quote, as plain lines. A hunk of a patch is a block. */
function quotedBlocks(json: string): readonly string[] {
  const blocks: string[] = [];
  const readPatch = (patch: string): void => {
    let block: string[] = [];
    for (const line of [...patch.split('\n'), '@@']) {
      if (/^[- ]/.test(line)) block.push(line.slice(1));
      else if (!line.startsWith('+')) {
        blocks.push(block.join('\n'));
        block = [];
      }
    }
  };
  const read = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (quotedText.has(key)) blocks.push(value);
      else if (value.includes(beginOfPatch)) readPatch(value.slice(value.indexOf(beginOfPatch)));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) read(item, Array.isArray(value) ? key : name);
    }
  };
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // Arguments that are not JSON are a patch, or quote nothing.
  }
  read(value, '');
  return blocks.map(plainLines).filter((block) => block.length >= shortestAnchor);
}
