import { addressOf } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { relevanceToolName } from './description.prompt.js';

/**
 * Returns the last line of a tool result, by which the model names it: `[event_id: 7k2m9qxa]`. Pass it to
 * `view.toMessages({ labelObservation })`, for a whole conversation or not at all. A redacted copy has its original's label.
 * What can never be redacted has none: user rejections and the relevance tool's own answers.
 */
export function observationLabel(event: ToolResultEvent): string | undefined {
  if (event.type === 'user-reject-observation' || event.toolName === relevanceToolName) return undefined;
  return `[event_id: ${addressOf(event.id)}]`;
}

/** Returns an event id as a model wrote it, without brackets and quotes that it copied. */
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
 * Returns text in which nothing reads like a label: `[event_id:` becomes `[quoted event id:`. Letters of other scripts that look
 * like Latin ones are not recognised. A label forged with them still has to name a result that exists.
 */
export function neutralizeLabels(text: string): string {
  return text.replace(lookAlike, '[quoted event id:');
}

/** Events never change, so each is searched once. */
const neutralizedCopies = new WeakMap<LLMConvertibleEvent, LLMConvertibleEvent | null>();

/** Returns the copy of a tool result in which label look-alikes are neutralised; undefined where there are none. */
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
