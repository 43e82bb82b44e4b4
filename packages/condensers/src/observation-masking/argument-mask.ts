import { addressOf } from '@palimpsest/events';
import type { ActionEvent } from '@palimpsest/events';
import { filesOfPatch } from '../authoring/calls/arguments.js';
import { argumentStub, pathsText } from './observation-masking.prompt.js';
import { firstLineOf, fitting, pathsWithin } from './observation-stub.js';

/** Arguments with deeper nesting are not masked: a model can write them, but no tool accepts them. Unit: levels. */
const deepest = 64;
/** Texts of at most this length stay: paths, names, queries and short commands. Unit: characters. */
const keptCharacters = 400;
/** The files that a patch changes. Unit: characters. */
const filesCharacters = 200;
/** The places at which a patch changes its files. Unit: characters. */
const placesCharacters = 200;

/**
 * Returns the arguments of a call in which a note replaces each long text. Short values stay, and the result is the text of a JSON object
 * with the same keys. Each note names the call's address, and what finds the place in a file again: the files and places of a patch,
 * or the first line of another text; then the paths in it. With a `placeholder`, that text replaces the note. No note is longer than what
 * it replaces. Undefined if the arguments are not an object, hold no long text, or are nested too deep.
 */
export function maskedArguments(
  action: ActionEvent,
  options: { readonly maxPathTokens: number; readonly placeholder?: string | undefined },
): string | undefined {
  const text = action.toolCall.arguments;
  if (text.length <= keptCharacters) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (depthOf(value) > deepest) return undefined;
  const masked = JSON.stringify(
    withoutLongTexts(value, (long) => {
      const note = options.placeholder ?? noteOf(long, action, options.maxPathTokens);
      return note.length < long.length ? note : long;
    }),
  );
  return masked.length < text.length ? masked : undefined;
}

function withoutLongTexts(value: unknown, noteFor: (text: string) => string): unknown {
  if (typeof value === 'string') return value.length <= keptCharacters ? value : noteFor(value);
  if (Array.isArray(value)) return value.map((item) => withoutLongTexts(item, noteFor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutLongTexts(item, noteFor)]));
}

/** Returns the nesting depth of a value, up to the limit. */
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > deepest) return depth;
  return Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item, depth + 1)), depth);
}

function noteOf(text: string, action: ActionEvent, maxPathTokens: number): string {
  const files = filesOfPatch(text).map(({ path }) => path);
  const about = files.length === 0 ? `begins: ${firstLineOf(text)}` : aboutPatch(text, files);
  return argumentStub({
    lines: text.split('\n').length,
    characters: text.length,
    address: addressOf(action.id),
    about,
    ...pathsWithin(action, { text, shown: about, maxPathTokens }),
  });
}

/** Returns the files of a patch, and the headings of its changes, or their first lines where a heading says nothing, as far as they fit. */
function aboutPatch(patch: string, files: readonly string[]): string {
  const parts = [`patch of ${pathsText(fitting(files, filesCharacters))}`];
  let left = placesCharacters;
  for (const [, heading = '', line = ''] of patch.matchAll(/^@@ ?(.*)$\n?(?:[ -](.*)$)?/gm)) {
    const place = firstLineOf(heading.replace(/@@$/, '')) || firstLineOf(line);
    if (place === '' || place.length > left) continue;
    parts.push(`at: ${place}`);
    left -= place.length;
  }
  return parts.join('; ');
}
