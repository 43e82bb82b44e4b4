import type { ContentPart, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { relevanceToolName } from './tool-names.js';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const labelShape = /^[0-9a-hjkmnp-tv-z]{8}$/;

/**
 * The short name of an event: 8 characters (40 bits) that depend on its id alone. Two events of one log can have the same
 * one, about once in 20,000 logs of 10,000 results each. Resolving a label therefore reads every event and refuses a label that
 * fits two.
 */
export function labelOf(id: EventId): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x5bd1e995);
  }
  return digits(mixed(first)) + digits(mixed(second ^ id.length));
}

/** True for text in the form of a label, whether or not it names an event. */
export function isLabel(text: string): boolean {
  return labelShape.test(text);
}

/**
 * The last line of a tool result, by which the model names it: `[event_id: 7k2m9qxa]`. Pass it to
 * `view.toMessages({ labelObservation })`, for a whole conversation or not at all. A redacted copy has its original's label.
 * What can never be redacted has none: user rejections and the relevance tool's own answers.
 */
export function observationLabel(event: ToolResultEvent): string | undefined {
  if (event.type === 'user-reject-observation' || event.toolName === relevanceToolName) return undefined;
  return `[event_id: ${labelOf(event.id)}]`;
}

/** An event id as a model wrote it, without brackets and quotes that it copied. */
export function bareReference(reference: string): string {
  return reference
    .trim()
    .replace(/^[`'"[\s]*(?:event_id\s*[:=]\s*)?/i, '')
    .replace(/[\]`'"\s]*$/, '');
}

// Brackets and colons of other scripts and zero-width characters are the obvious ways to forge a label.
const invisible = '[\\s\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff]*';
const lookAlike = new RegExp(
  `[[\\uff3b\\u3010\\u27e6]${invisible}${[...'event'].join(invisible)}${invisible}(?:[_\\-\\u2010-\\u2015\\uff3f]${invisible})?` +
    `i${invisible}d${invisible}[:=\\uff1a\\ua789]`,
  'gi',
);

/**
 * Text in which nothing reads like a label: `[event_id:` becomes `[quoted event id:`. Letters of other scripts that look
 * like Latin ones are not recognised; a label forged with them still has to name a result that exists.
 */
export function neutralizeLabels(text: string): string {
  return text.replace(lookAlike, '[quoted event id:');
}

/** Events never change, so each is searched once. */
const neutralizedCopies = new WeakMap<LLMConvertibleEvent, LLMConvertibleEvent | null>();

/** The copy of a tool result in which label look-alikes are neutralised; undefined where there are none. */
export function neutralizedCopy(event: LLMConvertibleEvent): LLMConvertibleEvent | undefined {
  let copy = neutralizedCopies.get(event);
  if (copy === undefined) {
    copy = makeNeutralizedCopy(event) ?? null;
    neutralizedCopies.set(event, copy);
  }
  return copy ?? undefined;
}

function makeNeutralizedCopy(event: LLMConvertibleEvent): LLMConvertibleEvent | undefined {
  switch (event.type) {
    case 'observation': {
      const { content, extendedContent } = event;
      if (![...content, ...(extendedContent ?? [])].some(hasLookAlike)) return undefined;
      const extended = extendedContent === undefined ? {} : { extendedContent: extendedContent.map(neutralPart) };
      return Object.freeze({ ...event, content: content.map(neutralPart), ...extended });
    }
    case 'agent-error': {
      const error = neutralizeLabels(event.error);
      return error === event.error ? undefined : Object.freeze({ ...event, error });
    }
    case 'user-reject-observation': {
      const rejectionReason = neutralizeLabels(event.rejectionReason);
      return rejectionReason === event.rejectionReason ? undefined : Object.freeze({ ...event, rejectionReason });
    }
    default:
      return undefined;
  }
}

function hasLookAlike(part: ContentPart): boolean {
  return part.type === 'text' && neutralizeLabels(part.text) !== part.text;
}

function neutralPart<Part extends ContentPart>(part: Part): Part {
  return part.type === 'text' ? { ...part, text: neutralizeLabels(part.text) } : part;
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
