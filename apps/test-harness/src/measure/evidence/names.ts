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

/** The names in a text, with their kinds. A name inside of a longer one adds nothing and is left out. */
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
