import { remembered } from '../../authoring/calls/remembered.js';
import { isOfFrame } from './digest.prompt.js';
import { shortestKey } from './text-lines.js';
import type { TextLine } from './text-lines.js';

/** A longer line is data. Unit: characters. */
export const longestLine = 2_000;

/** Returns the lines of a text that tell a model something, each at its last place, in order. A text is read once. */
export const quotableIn: (lines: readonly TextLine[]) => ReadonlyMap<string, number> = (lines) =>
  readQuotable(lines, undefined);

const readQuotable = /* @__PURE__ */ remembered((lines: readonly TextLine[], _: undefined) => {
  const places = new Map<string, number>();
  lines.forEach(({ key, isGone }, index) => {
    if (isGone || !isQuotable(key)) return;
    // A map lists its keys in the order in which they were added.
    places.delete(key);
    places.set(key, index);
  });
  return places;
});

/** A word of this length, or an encoded one, is data. Unit: characters. */
const data = /^\S{200}|^[A-Za-z0-9+/=]{60,}$/;
const letterOrDigit = /[\p{L}\p{N}]/u;

/** Returns true for a line that tells a model something, and that it cannot take for a part of the summary. */
function isQuotable(key: string): boolean {
  if (key.length < shortestKey || key.length > longestLine) return false;
  return letterOrDigit.test(key) && !data.test(key) && !isOfFrame(key) && !stateWords.test(key);
}

/** The words of editors and runtimes about a state that has passed by the time they are read again. */
const stateWords =
  /\bfile state is current\b|\b(?:updated|created|written|applied|saved|edited|replaced|modified|overwritten|deleted) successfully\b|\bsuccessfully (?:updated|created|wrote|written|applied|saved|edited|replaced|modified|overwr\w+|deleted)\b|\bhas been (?:updated|created|edited|modified|saved)\b|\btokens? (?:used|left|remaining)\b|\btoken count\b|^success\. updated the following files\b|\btool use was rejected\b|^user has approved your plan\b|^<system-reminder>|^no (?:matches|files) found\b|\bhere's the result of running `cat -n`/i;
