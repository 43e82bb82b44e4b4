import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { randomNumbers } from '../random-numbers.js';

/** The orders in which a session works on its files. */
export const orders = ['rotation', 'locality', 'phases', 'random', 'once'] as const;

/** The kind of a generated session: how many files of what size, and in which order they are needed. */
export interface HostileSet {
  /** `rotation`: one after the other. `locality`: mostly one of the last few. `phases`: a quarter of them at a time. `once`: never again. */
  readonly order: (typeof orders)[number];
  readonly files: number;
  /** The size of each file, about. Unit: tokens. */
  readonly fileTokens: number;
}

/** A generated session whose every step needs one file. */
export interface HostileSession {
  readonly events: readonly Event[];
  /** By model call: the result that holds the file that the call works on, as an index of the events. It may be the call's own. */
  readonly needs: readonly number[];
}

/** The sets: every order, with few, some and many files, of small, middle and large size. */
export const hostileSets: readonly HostileSet[] = orders.flatMap((order) =>
  [5, 25, 100].flatMap((files) => [500, 2_000, 10_000].map((fileTokens) => ({ order, files, fileTokens }))),
);

/** Returns the name of a set for a report: its order, and its files by their size. */
export function nameOfSet({ order, files, fileTokens }: HostileSet): string {
  return `${order}, ${files} × ${fileTokens.toLocaleString('en-GB')}`;
}

/**
 * Generates the session of a set, the same each time. A step reads a file that was never read, and works on any other with a short call
 * that needs the text of the file.
 */
export function hostileSession(set: HostileSet, steps: number): HostileSession {
  let made = 0;
  const createEvent = eventFactory({ newId: () => `hostile-${++made}`, now: () => new Date(0) });
  const events: Event[] = [
    createEvent('message', {
      role: 'user',
      source: 'user',
      content: [{ type: 'text', text: 'Check every file, and look at its text each time.' }],
    }),
  ];
  const readAt = new Map<number, number>();
  const needs: number[] = [];
  for (const [step, file] of fileOrder(set, steps).entries()) {
    const path = `src/part${file}/file${file}.ts`;
    const isRead = readAt.has(file);
    const call = isRead
      ? { name: 'check', arguments: JSON.stringify({ path, step }) }
      : { name: 'read', arguments: JSON.stringify({ path }) };
    const toolCallId = `call-${step}`;
    const action = createEvent('action', {
      thought: [],
      toolCall: { id: toolCallId, ...call },
      llmResponseId: `response-${step}`,
    });
    const text = isRead ? linesOfCode(step, stepTokens) : linesOfCode(seedOf(set, file), set.fileTokens);
    const result = createEvent('observation', {
      toolName: call.name,
      toolCallId,
      actionId: action.id,
      content: [{ type: 'text', text }],
    });
    if (!isRead) readAt.set(file, events.length + 1);
    needs.push(readAt.get(file) ?? 0);
    events.push(action, result);
  }
  return { events, needs };
}

/** What a step adds that works on a file that was read before. Unit: tokens. */
const stepTokens = 300;

/** Different for every file of every size. */
function seedOf({ files, fileTokens }: HostileSet, file: number): number {
  return 1_000_003 + files * 7_919 + fileTokens * 31 + file;
}

/** How many of the newest files a session with locality mostly stays with, and how mostly. */
const recentFiles = 4;
const shareOfRecent = 0.8;
const phases = 4;

/** Returns the file that each step needs. */
function fileOrder({ order, files, fileTokens }: HostileSet, steps: number): readonly number[] {
  const random = randomNumbers(files * 100_003 + fileTokens);
  const any = (count: number): number => Math.floor(random() * count);
  const recent: number[] = [];
  return Array.from({ length: steps }, (_, step) => {
    switch (order) {
      case 'rotation':
        return step % files;
      case 'once':
        return Math.floor((step * files) / steps);
      case 'random':
        return any(files);
      case 'phases': {
        const size = Math.max(1, Math.floor(files / phases));
        const phase = Math.floor((step * phases) / steps);
        return phase * size + (step % size);
      }
      case 'locality': {
        const file = recent.length > 0 && random() < shareOfRecent ? (recent[any(recent.length)] ?? 0) : any(files);
        const place = recent.indexOf(file);
        if (place >= 0) recent.splice(place, 1);
        recent.unshift(file);
        recent.length = Math.min(recent.length, recentFiles);
        return file;
      }
    }
  });
}

const vocabulary =
  'read write open close list node tree path line word count total first last next value index table cell row key map set item part size room text code name rule step plan test case branch merge cache price token view event state queue stack range start limit scale shift match parse print route server client record field label group order batch frame'.split(
    ' ',
  );
const tokensPerLine = 16;

/** Returns lines of code of about this size, the same for a seed. Lines of two seeds differ. */
function linesOfCode(seed: number, tokens: number): string {
  const random = randomNumbers(seed);
  const word = (): string => vocabulary[Math.floor(random() * vocabulary.length)] ?? '';
  const lines = Array.from({ length: Math.round(tokens / tokensPerLine) }, () => {
    const number = Math.floor(random() * 1e6);
    return `const ${word()}_${word()} = ${word()}.${word()}(${word()}, ${number}) + ${word()};`;
  });
  return lines.join('\n');
}
