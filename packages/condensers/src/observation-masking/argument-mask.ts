import { sliceText } from '@palimpsest/events';
import { oneLine } from '../authoring/tool-calls/excerpt.js';
import { filesOfPatch } from '../authoring/tool-calls/patch-files.js';
import { argumentStub } from './observation-masking.prompt.js';

/** Arguments with deeper nesting are not masked: a model can write them, but no tool accepts them. Unit: levels. */
const deepest = 64;
/** Texts of at most this length stay: paths, names, queries and short commands. Unit: characters. */
const keptCharacters = 400;

/**
 * The arguments of a call in which a note replaces each long text. Short values stay, and the result is the text of a JSON object
 * with the same keys. Each note names the call's `address`. With a `placeholder`, that text replaces the note. Undefined if the
 * arguments are not an object, hold no long text, or are nested too deep.
 */
export function maskedArguments(
  text: string,
  { address, placeholder }: { readonly address: string; readonly placeholder?: string | undefined },
): string | undefined {
  if (text.length <= keptCharacters) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (depthOf(value) > deepest) return undefined;
  const masked = JSON.stringify(withoutLongTexts(value, (long) => placeholder ?? noteOf(long, address)));
  return masked.length < text.length ? masked : undefined;
}

function withoutLongTexts(value: unknown, noteFor: (text: string) => string): unknown {
  if (typeof value === 'string') return value.length <= keptCharacters ? value : noteFor(value);
  if (Array.isArray(value)) return value.map((item) => withoutLongTexts(item, noteFor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutLongTexts(item, noteFor)]));
}

/** The nesting depth of a value, up to the limit. */
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > deepest) return depth;
  return Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item, depth + 1)), depth);
}

function noteOf(text: string, address: string): string {
  const files = filesOfPatch(text).map(({ path }) => path);
  const about =
    files.length > 0
      ? `patch of ${oneLine(files.join(', '), 200)}`
      : `begins: ${oneLine(sliceText(text, 0, 400), 100)}`;
  return argumentStub({ lines: text.split('\n').length, characters: text.length, address, about });
}
