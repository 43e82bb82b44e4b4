import type { RecordedSession } from './recorded-session.js';

/** `anchor`: a line that a tool finds only if it is quoted exactly. */
export type EvidenceKind = 'identifier' | 'anchor' | 'number';

/** Text in the arguments of a call that the model took from an old result or message. */
export interface Evidence {
  readonly text: string;
  readonly kind: EvidenceKind;
  /** The results and messages that held it before, as indices of the session's events. Never empty. */
  readonly sources: readonly number[];
  /** The model's own calls and messages that held it before. */
  readonly mentions: readonly number[];
  /** Between the call and the newest source. Unit: model calls. */
  readonly distance: number;
}

/** A model need not take from a source what it mentioned in so many calls before. Unit: model calls. */
const recentMention = 3;
/** A source that is nearer is in view under every policy. Unit: model calls. */
const nearestSource = 2;
/** Text that stands in more of the events names nothing in particular. */
const commonShare = 0.1;
const fewestEvents = 30;

/** Returns the evidence that each model call of a session used, in the order of the calls. */
export function evidenceOf(session: RecordedSession): readonly (readonly Evidence[])[] {
  const { kinds, stepOf, texts, events, calls } = session;
  const index = textIndex(texts);
  const found: Evidence[][] = calls.map(() => []);
  const readable = kinds.filter((kind) => kind !== 'internal').length;
  // The instructions and the task stay under every policy.
  const task = kinds.indexOf('user');
  const isGiven = (place: number): boolean => place === task || kinds[place] === 'system';
  events.forEach((event, at) => {
    if (event.type !== 'action') return;
    const step = stepOf[at] ?? 0;
    const evidence = found[step];
    if (evidence === undefined) return;
    const { text, anchors } = argumentParts(event.toolCall.arguments);
    const spans = new Map<string, EvidenceKind>();
    for (const [name, kind] of namesIn(text)) spans.set(name, kind === 'number' ? 'number' : 'identifier');
    for (const anchor of anchors) if (!spans.has(anchor)) spans.set(anchor, 'anchor');
    for (const [span, kind] of spans) {
      if (evidence.some((each) => each.text === span)) continue;
      const places = index.holding(span);
      const before = places.filter((place) => (stepOf[place] ?? 0) < step);
      const sources = before.filter((place) => isSource(kinds[place]));
      const mentions = before.filter((place) => kinds[place] === 'call' || kinds[place] === 'agent');
      const newest = sources.at(-1);
      if (newest === undefined) continue;
      const distance = step - (stepOf[newest] ?? 0);
      if (distance < nearestSource) continue;
      if (mentions.some((place) => (stepOf[place] ?? 0) >= step - recentMention)) continue;
      if (before.some(isGiven)) continue;
      const isCommon = readable > fewestEvents && places.length > commonShare * readable;
      if (kind !== 'anchor' && isCommon) continue;
      evidence.push({ text: span, kind, sources, mentions, distance });
    }
  });
  return found;
}

function isSource(kind: string | undefined): boolean {
  return kind === 'result' || kind === 'user' || kind === 'environment';
}

/** The parts of a call's arguments that it takes from earlier text. */
export interface ArgumentParts {
  /** Text that may name things. */
  readonly text: string;
  /** Lines that a tool finds only if they are quoted exactly. */
  readonly anchors: readonly string[];
}

/** Arguments that hold new text of the model. */
export const newText = new Set([
  'content',
  'new_string',
  'file_text',
  'new_str',
  'newText',
  'replace',
  'todos',
  'prompt',
  'summary',
  'message',
  'plan',
  'new_source',
]);
/** Arguments that quote text which is to be replaced. */
export const quotedText = new Set(['old_string', 'old_str', 'oldText', 'search']);

/** A shorter quotation says nothing. Unit: characters. */
export const shortestAnchor = 12;
export const beginOfPatch = '*** Begin Patch';
const hereDocument = /<<-?\s*['"]?(\w+)['"]?[\s\S]*?\n\1\b/g;

/** Separates the arguments of a call into text that names things and lines that must be quoted exactly. */
export function argumentParts(json: string): ArgumentParts {
  const texts: string[] = [];
  const anchors: string[] = [];
  const read = (value: unknown, key: string): void => {
    if (typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'string') readText(value, key);
    else if (Array.isArray(value)) for (const item of value) read(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) read(item, name);
  };
  const readText = (value: string, key: string): void => {
    if (newText.has(key)) return;
    if (quotedText.has(key)) anchors.push(...value.split('\n'));
    else if (value.includes(beginOfPatch)) readPatch(value);
    else texts.push(value.replace(hereDocument, ' '));
  };
  const readPatch = (patch: string): void => {
    const begin = patch.indexOf(beginOfPatch);
    texts.push(patch.slice(0, begin));
    for (const line of patch.slice(begin).replaceAll(beginOfPatch, '').split('\n')) {
      if (/^\*\*\* (?:Add|Update|Delete) File/.test(line)) texts.push(line);
      else if (/^[- ]/.test(line) && !line.startsWith('---')) anchors.push(line.slice(1));
    }
  };
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // Arguments that are not JSON are text.
  }
  read(value, '');
  const quoted = anchors.map((line) => line.trim()).filter((line) => line.length >= shortestAnchor);
  return { text: texts.join('\n'), anchors: [...new Set(quoted)] };
}

/** A kind of text that names something. */
export type NameKind = 'url' | 'path' | 'file' | 'id' | 'number' | 'symbol' | 'quoted';

const fileEndings =
  'py ts tsx js mjs go rs java c h cpp md json jsonl yaml yml toml txt sh html css sql cfg lock mod sum'.replaceAll(
    ' ',
    '|',
  );

interface Pattern {
  readonly kind: NameKind;
  readonly matches: RegExp;
  /** The name in a match; undefined if the match is none. */
  readonly nameOf: (match: RegExpExecArray) => string | undefined;
}

const whole = ([text]: RegExpExecArray): string => text;

/** In this order: a text that two patterns find has the first kind. */
const patterns: readonly Pattern[] = [
  { kind: 'url', matches: /https?:\/\/[^\s"'<>)\]]{6,}/g, nameOf: whole },
  {
    kind: 'path',
    matches: /(?:[\w.@~-]*\/)+[\w.@-]+/g,
    nameOf: ([text]) => atLeast(8, text.replace(/^[./-]+/, '').replace(/[./-]+$/, '')),
  },
  {
    kind: 'file',
    matches: new RegExp(`\\b[\\w-]{2,}\\.(?:${fileEndings})\\b`, 'g'),
    nameOf: ([text]) => atLeast(8, text),
  },
  {
    kind: 'id',
    matches: /#?\b[A-Z]{1,4}\d{3,}[A-Z0-9]*\b|\b[0-9a-f]{7,40}\b|\b[a-z]+_[a-z]+_\d{4}\b|\b[a-z]+_\d{7}\b/g,
    nameOf: ([text]) => (/\d/.test(text) ? atLeast(5, text) : undefined),
  },
  { kind: 'number', matches: /\b\d{4,}\b/g, nameOf: whole },
  {
    kind: 'symbol',
    matches: /[A-Za-z_][A-Za-z0-9_]{7,}/g,
    nameOf: ([text]) => (/[a-z][A-Z]|\d/.test(text) || text.replace(/^_+|_+$/g, '').includes('_') ? text : undefined),
  },
  {
    kind: 'quoted',
    matches: /"([^"\n]{8,120})"|'([^'\n]{8,120})'/g,
    nameOf: (match) => atLeast(8, (match[1] ?? match[2] ?? '').trim()),
  },
];

/** Returns the names in a text, with their kinds. A name inside of a longer one adds nothing and is left out. */
export function namesIn(text: string): ReadonlyMap<string, NameKind> {
  const found = new Map<string, NameKind>();
  for (const { kind, matches, nameOf } of patterns) {
    for (const match of text.matchAll(matches)) {
      const name = nameOf(match);
      if (name !== undefined && !found.has(name)) found.set(name, kind);
    }
  }
  const kept: (readonly [string, NameKind])[] = [];
  for (const entry of [...found].sort(([one], [other]) => other.length - one.length)) {
    if (!kept.some(([longer]) => longer.includes(entry[0]))) kept.push(entry);
  }
  return new Map(kept);
}

function atLeast(length: number, text: string): string | undefined {
  return text.length >= length ? text : undefined;
}

/** An index that finds the texts with a span. */
export interface TextIndex {
  /** The indices of the texts that hold the span at token boundaries, in their order. */
  holding(span: string): readonly number[];
}

const words = /[A-Za-z0-9_]{3,}/g;

/** Indexes texts by their words, so that a span is looked for only in texts that hold its rarest word. */
function textIndex(texts: readonly string[]): TextIndex {
  const byWord = new Map<string, number[]>();
  texts.forEach((text, index) => {
    for (const word of new Set(text.match(words))) {
      const places = byWord.get(word);
      if (places === undefined) byWord.set(word, [index]);
      else places.push(index);
    }
  });
  const known = new Map<string, readonly number[]>();
  return {
    holding: (span) => {
      let found = known.get(span);
      if (found === undefined) {
        const places = [...new Set(span.match(words))].map((word) => byWord.get(word) ?? []);
        const [rarest = []] = places.sort((one, other) => one.length - other.length);
        found = rarest.filter((index) => holdsSpan(texts[index] ?? '', span));
        known.set(span, found);
      }
      return found;
    },
  };
}

const insideOfWord = /[A-Za-z0-9_]/;

/** Returns true if the text holds the span and no word goes on before or behind it. */
export function holdsSpan(text: string, span: string): boolean {
  const [openStart, openEnd] = [/^\W/.test(span), /\W$/.test(span)];
  for (let at = text.indexOf(span); at !== -1; at = text.indexOf(span, at + 1)) {
    const startsWord = openStart || !insideOfWord.test(text[at - 1] ?? ' ');
    if (startsWord && (openEnd || !insideOfWord.test(text[at + span.length] ?? ' '))) return true;
  }
  return false;
}
