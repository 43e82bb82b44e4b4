import type { SessionRow } from './host.js';

/**
 * Claude Code keeps so many tokens of a window free for an answer and for its own summary, and asks when the rest is full. Measured
 * with 2.1.330 and 2.1.332: 67,000 of 100,000.
 */
const reservedTokens = { answer: 20_000, summary: 13_000 };

/** Claude Code ends a session that was compacted three times within three steps each. */
const stepsBetweenAnswers = 4;

/** The least that an answer frees, or the next step asks again. Unit: share of the size before. */
const leastFreed = 0.1;

/** The windows of the person and of the model. Unit: tokens. */
export interface Windows {
  /** The model's window. */
  readonly model: number;
  /** The window that the person has set for auto compaction. @defaultValue none */
  readonly person?: number | undefined;
  /** `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`. @defaultValue none */
  readonly percent?: number | undefined;
}

/** Returns the size at which Claude Code would compact without us. Unit: tokens. */
export function limitWithoutUs({ model, person = Infinity, percent }: Windows): number {
  const window = Math.min(model, person);
  const full = window - reservedTokens.answer;
  const limit = full - reservedTokens.summary;
  return percent === undefined ? limit : Math.min(limit, Math.floor((full * percent) / 100));
}

/** Returns the tokens that a person has written: `200000`, `200k`. Undefined for anything else. */
export function windowIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 ? value : undefined;
  const [, digits, unit] = /^\s*(\d[\d_,]*(?:\.\d+)?)\s*(k?)\s*$/i.exec(typeof value === 'string' ? value : '') ?? [];
  if (digits === undefined) return undefined;
  const tokens = Number(digits.replace(/[_,]/g, '')) * (unit === '' ? 1 : 1_000);
  return tokens > 0 ? tokens : undefined;
}

/** Returns true if an answer with these sizes, so many steps behind the one before, is one after which the session goes on. */
export function isWorthAnswering(
  { before, after }: { readonly before: number; readonly after: number },
  stepsSinceAnswer: number,
): boolean {
  return stepsSinceAnswer >= stepsBetweenAnswers && after <= before * (1 - leastFreed);
}

/** Estimates what came behind the last answer of the model. Unit: tokens. */
export function tokensBehindAnswer(rows: readonly SessionRow[]): number {
  const last = rows.findLastIndex(({ role }) => role === 'assistant');
  const chars = rows
    .slice(last + 1)
    .reduce(
      (sum, { text, toolResults = [] }) => sum + toolResults.reduce((all, one) => all + one.text.length, text.length),
      0,
    );
  return Math.ceil(chars / 4);
}
