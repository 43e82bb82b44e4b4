import type { Evidence } from './evidence.js';
import { callsOfResults, unescaped } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';

/** A source that is nearer is in view under every policy. Unit: model calls. */
const nearestSource = 2;
/** The agent knows what it wrote in so many calls before. Unit: model calls. */
const recentMention = 3;
/** A run that says less may stand in two texts by chance. Unit: bits. */
const leastBits = 13;
/** Near text that says so much explains the words that it shares with the arguments. Unit: bits. */
const knownBits = 8;
/** A run that stands in more of the events is nobody's quotation. */
const commonShare = 0.1;
const fewestEvents = 30;
/** A run is found by a pair of words that stands in no more places. */
const mostPlaces = 1_000;
/** A run of so many words is a passage; a shorter one is a name. */
const wordsOfPassage = 10;

/**
 * Returns the runs of words that the arguments of each model call share with an old result or message and with nothing nearer, in the
 * order of the calls. A second look beside `evidenceOf`: it knows no paths, names, numbers or tools, only words and how rare they are.
 *
 * A word is a run of letters and digits; every other sign is a word of its own. A run ends at the end of its line. A word says the more the fewer
 * events hold it: the bits of a run are the sum of log2((events + 1) / events with the word).
 */
export function quotesOf(session: RecordedSession): readonly (readonly Evidence[])[] {
  const { events, kinds, stepOf, calls } = session;
  const text = wordIndex(session);
  const callOf = callsOfResults(session);
  const isGiven = givenIn(session);
  const found: Evidence[][] = calls.map(() => []);
  const nearWords = nearWordsOf(session, text, isGiven);

  events.forEach((event, at) => {
    if (event.type !== 'action') return;
    const call = stepOf[at] ?? 0;
    const quotes = found[call];
    if (quotes === undefined || call < nearestSource) return;
    const argumentText = unescaped(event.toolCall.arguments);
    const words = text.wordsIn(argumentText);
    const bits = (from: number, to: number): number => text.bitsOf(words.ids, from, to);
    const near = nearWords(call);
    const known = words.ids.map((id) => text.bits(id) >= knownBits && near(id));
    const shared: Run[] = [];
    for (const { from, to, event: place } of text.sharedRuns(words.ids)) {
      const step = stepOf[place] ?? 0;
      if (step >= call) continue;
      if (isGiven(place) || step >= nearFrom(kinds[place], call)) {
        if (bits(from, to) >= knownBits) known.fill(true, from, to);
      } else if (isSource(kinds[place])) shared.push({ from, to });
    }
    const taken = [...known];
    const runs = shared
      .flatMap((run) => unknownParts(run, known))
      .filter(({ from, to }) => bits(from, to) >= leastBits);
    runs.sort((one, other) => bits(other.from, other.to) - bits(one.from, one.to));
    for (const run of runs) {
      const { from, to } = trimmed(run, (word) => taken[word] === true || text.isSign(words.ids[word] ?? -1));
      if (bits(from, to) < leastBits || taken.slice(from, to).includes(true)) continue;
      taken.fill(true, from, to);
      const places = text.holding(words.ids.slice(from, to));
      if (text.events > fewestEvents && places.length > commonShare * text.events) continue;
      const before = places.filter((place) => (stepOf[place] ?? 0) < call);
      // A result that repeats its own call is no source.
      const sources = before.filter((place) => isSource(kinds[place]) && !places.includes(callOf.get(place) ?? -1));
      const mentions = before.filter((place) => !isSource(kinds[place]));
      const newest = sources.at(-1);
      const quote = argumentText.slice(words.starts[from], words.ends[to - 1]);
      if (newest === undefined || quotes.some((other) => other.text.includes(quote))) continue;
      const kind = to - from >= wordsOfPassage ? 'anchor' : 'identifier';
      quotes.push({ text: quote, kind, sources, mentions, distance: call - (stepOf[newest] ?? 0) });
    }
  });
  return found;
}

/** A run of the words of a call's arguments. */
interface Run {
  readonly from: number;
  readonly to: number;
}

function isSource(kind: string | undefined): boolean {
  return kind === 'result' || kind === 'user' || kind === 'environment';
}

/** Returns the first step whose events of a kind are known to the agent at a call. */
function nearFrom(kind: string | undefined, call: number): number {
  return call - (isSource(kind) ? nearestSource - 1 : recentMention);
}

/** Finds what every request holds: the instructions, the task, and what a host said before the first call. */
function givenIn({ kinds, stepOf }: RecordedSession): (place: number) => boolean {
  const task = kinds.indexOf('user');
  return (place) =>
    kinds[place] === 'system' || place === task || (kinds[place] === 'environment' && (stepOf[place] ?? 0) < 0);
}

/** Finds the words that the agent knows at a call. The calls are asked for in their order. */
function nearWordsOf(
  { events, kinds, stepOf }: RecordedSession,
  text: WordIndex,
  isGiven: (place: number) => boolean,
): (call: number) => (word: number) => boolean {
  const given = new Set<number>();
  const byStep = new Map<number, number[]>();
  events.forEach((_, place) => {
    if (isGiven(place)) for (const word of text.wordsOf(place)) given.add(word);
    const step = stepOf[place] ?? 0;
    byStep.set(step, [...(byStep.get(step) ?? []), place]);
  });
  let [newest, near] = [-1, new Set<number>()];
  return (call) => {
    if (call !== newest) {
      [newest, near] = [call, new Set(given)];
      for (let step = call - recentMention; step < call; step++) {
        for (const place of byStep.get(step) ?? [])
          if (step >= nearFrom(kinds[place], call)) for (const word of text.wordsOf(place)) near.add(word);
      }
    }
    return (word) => near.has(word);
  };
}

/** Returns the parts of a run between words that are known. */
function unknownParts({ from, to }: Run, known: readonly boolean[]): readonly Run[] {
  const parts: Run[] = [];
  let start = from;
  for (let word = from; word <= to; word++) {
    if (word < to && known[word] !== true) continue;
    if (word > start) parts.push({ from: start, to: word });
    start = word + 1;
  }
  return parts;
}

function trimmed(run: Run, isCut: (word: number) => boolean): Run {
  let { from, to } = run;
  while (from < to && isCut(from)) from++;
  while (to > from && isCut(to - 1)) to--;
  return { from, to };
}

/** The words of a text: their numbers, and where each begins and ends. The end of a line is the word `-1`. */
interface Words {
  readonly ids: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The words of all events of a session, indexed by the pairs of neighbours that stand in arguments of calls. */
interface WordIndex {
  /** The number of events that a model reads. */
  readonly events: number;
  wordsIn(text: string): Words;
  /** The different words of an event. */
  wordsOf(event: number): readonly number[];
  bits(word: number): number;
  bitsOf(words: readonly number[], from: number, to: number): number;
  isSign(word: number): boolean;
  /** The longest runs of at least two words that stand in an event, too, each with its event. */
  sharedRuns(words: readonly number[]): Iterable<Run & { readonly event: number }>;
  /** The events that hold a run, in their order. */
  holding(run: readonly number[]): readonly number[];
}

const lineEnd = -1;
const wordPattern = /[\p{L}\p{N}]+|\n|\S/gu;
const letter = /[\p{L}\p{N}]/u;

function wordIndex({ events, kinds, texts }: RecordedSession): WordIndex {
  const ids = new Map<string, number>();
  const signs: boolean[] = [];
  const wordsIn = (text: string): Words => {
    const words: { ids: number[]; starts: number[]; ends: number[] } = { ids: [], starts: [], ends: [] };
    for (const { 0: word, index } of text.matchAll(wordPattern)) {
      let id = word === '\n' ? lineEnd : ids.get(word);
      if (id === undefined) {
        ids.set(word, (id = ids.size));
        signs.push(!letter.test(word));
      }
      words.ids.push(id);
      words.starts.push(index);
      words.ends.push(index + word.length);
    }
    return words;
  };
  const pairOf = (words: readonly number[], at: number): number => {
    const [one = lineEnd, other = lineEnd] = [words[at], words[at + 1]];
    return one === lineEnd || other === lineEnd ? lineEnd : one * 2 ** 26 + other;
  };

  const places = new Map<number, number[]>();
  for (const event of events) {
    if (event.type !== 'action') continue;
    const words = wordsIn(unescaped(event.toolCall.arguments)).ids;
    for (let at = 0; at < words.length; at++) places.set(pairOf(words, at), []);
  }
  places.delete(lineEnd);

  const all: number[] = [];
  const eventAt: number[] = [];
  const holders: number[] = [];
  const different = texts.map((text, event) => {
    const words = wordsIn(text).ids;
    for (const [at, word] of words.entries()) {
      places.get(pairOf(words, at))?.push(all.length);
      all.push(word);
      eventAt.push(event);
    }
    all.push(lineEnd);
    eventAt.push(event);
    const unique = [...new Set(words)].filter((word) => word !== lineEnd);
    for (const word of unique) holders[word] = (holders[word] ?? 0) + 1;
    return unique;
  });
  const shown = kinds.filter((kind) => kind !== 'internal').length;
  const bits = (word: number): number =>
    word === lineEnd ? 0 : Math.log2((shown + 1) / Math.max(1, holders[word] ?? 0));

  return {
    events: shown,
    wordsIn,
    wordsOf: (event) => different[event] ?? [],
    bits,
    bitsOf: (words, from, to) => {
      let sum = 0;
      for (let at = from; at < to; at++) sum += bits(words[at] ?? lineEnd);
      return sum;
    },
    isSign: (word) => signs[word] ?? true,
    *sharedRuns(words) {
      /** By the distance between both texts: the end of the run that was found last. */
      const reached = new Map<number, number>();
      for (let at = 0; at < words.length; at++) {
        const starts = places.get(pairOf(words, at)) ?? [];
        if (starts.length > mostPlaces) continue;
        for (const start of starts) {
          if ((reached.get(start - at) ?? -1) > at) continue;
          let [from, to] = [at, at + 2];
          const isSame = (word: number): boolean => words[word] !== lineEnd && all[start + word - at] === words[word];
          while (from > 0 && isSame(from - 1)) from--;
          while (to < words.length && isSame(to)) to++;
          reached.set(start - at, to);
          yield { from, to, event: eventAt[start] ?? 0 };
        }
      }
    },
    holding: (run) => {
      let [rarest, least] = [0, Infinity];
      for (let at = 0; at < run.length - 1; at++) {
        const count = places.get(pairOf(run, at))?.length ?? Infinity;
        if (count < least) [rarest, least] = [at, count];
      }
      const starts = places.get(pairOf(run, rarest)) ?? [];
      const holding = starts.filter((start) => run.every((word, at) => all[start - rarest + at] === word));
      return [...new Set(holding.map((start) => eventAt[start] ?? 0))];
    },
  };
}
