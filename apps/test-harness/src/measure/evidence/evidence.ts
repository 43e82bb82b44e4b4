import type { RecordedSession } from '../recorded-session.js';
import { argumentParts } from './argument-parts.js';
import { namesIn } from './names.js';
import { textIndex } from './text-index.js';

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

/** What the model mentioned in so many calls before, it need not take from a source. Unit: model calls. */
const recentMention = 3;
/** A source that is nearer is in view under every policy. Unit: model calls. */
const nearestSource = 2;
/** Text that stands in more of the events names nothing in particular. */
const commonShare = 0.1;
const fewestEvents = 30;

/** The evidence that each model call of a session used, in the order of the calls. */
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
