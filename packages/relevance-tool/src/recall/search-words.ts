import { sliceText } from '@palimpsest/events';
import { callText } from './hidden.js';
import type { Document } from './hidden.js';

/** A query is cut at these sizes, so that a search takes time linear in the log. */
const mostTerms = 16;
const longestQuery = 1_000;
/**
 * @see Okapi BM25 (Robertson and Zaragoza, 2009). Of 0.75, the usual share of a text's length, little is left: what is needed again
 * stands in long results.
 */
const saturation = 1.2;
const lengthShare = 0.2;

/** Returns the words of a query, in lower case: runs of letters, digits and underscores, each once. */
function termsOf(query: string): readonly string[] {
  const words =
    query
      .slice(0, longestQuery)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  const longer = words.filter((word) => word.length > 1);
  return [...new Set(longer.length > 0 ? longer : words)].slice(0, mostTerms);
}

/** Returns the query as one text, for texts that hold it word for word. */
function phraseOf(query: string): string {
  return query.trim().slice(0, longestQuery).toLowerCase();
}

/** A part of a word counts as so many whole words. */
const partOfWord = 0.2;
const mostCounted = 100;

/** Counts how often a text in lower case holds a term, and finds the best place. */
function hitsOf(text: string, term: string): { readonly count: number; readonly at: number } {
  let [count, part, whole] = [0, -1, -1];
  for (let at = text.indexOf(term); at !== -1 && count < mostCounted; at = text.indexOf(term, at + term.length)) {
    const isWord = !isLetterAt(text, at - 1) && !isLetterAt(text, at + term.length);
    count += isWord ? 1 : partOfWord;
    if (isWord && whole === -1) whole = at;
    if (part === -1) part = at;
  }
  return { count, at: whole === -1 ? part : whole };
}

/** For a text in lower case. Asked at each hit, so plain letters ask no pattern. */
function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/**
 * Returns the rank of a text in lower case for the whole query: 0 for not at all, 2 for whole words, 1 for several
 * words of which the outer ones go on.
 */
function wordForWord(text: string, phrase: string, terms: readonly string[]): 0 | 1 | 2 {
  const { count } = hitsOf(text, phrase);
  if (count === 0) return 0;
  return count >= 1 || terms.length === 0 ? 2 : terms.length > 1 ? 1 : 0;
}

/**
 * Returns the documents that hold a word of the query, best first: those that hold the query word for word, then by BM25, then newest
 * first, as they are given. Letters' case does not matter, and parts of words count a little. The call of a result counts as part of
 * its text. The query is plain text, never a pattern.
 */
export function ranked(documents: readonly Document[], query: string): readonly Document[] {
  const phrase = phraseOf(query);
  if (phrase === '') return [];
  const terms = termsOf(query);
  const read = documents.map((document) => {
    const { call } = document;
    const text = (call === undefined ? document.text : `${callText(call)}\n${document.text}`).toLowerCase();
    return {
      document,
      length: text.length,
      whole: wordForWord(text, phrase, terms),
      counts: terms.map((term) => hitsOf(text, term).count),
    };
  });
  const average = read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, read.length);
  const weights = terms.map((_, index) => {
    const holding = read.filter(({ counts }) => (counts[index] ?? 0) > 0).length;
    return Math.log(1 + (read.length - holding + 0.5) / (holding + 0.5));
  });
  return read
    .map(({ document, length, whole, counts }) => {
      const norm = saturation * (1 - lengthShare + (lengthShare * length) / Math.max(1, average));
      const score = counts.reduce(
        (sum, count, index) => sum + ((weights[index] ?? 0) * count * (saturation + 1)) / (count + norm),
        0,
      );
      return { document, whole, score };
    })
    .filter(({ whole, score }) => whole > 0 || score > 0)
    .sort((a, b) => b.whole - a.whole || b.score - a.score)
    .map(({ document }) => document);
}

/** Returns the lines of a text that hold most of a query, each with its number. */
export function linesWithWords(text: string, query: string): readonly string[] {
  const [phrase, terms] = [phraseOf(query), termsOf(query)];
  return excerptOf(text, (line) => {
    const lower = line.toLowerCase();
    const hits = terms.map((term) => hitsOf(lower, term)).filter(({ count }) => count > 0);
    const whole = wordForWord(lower, phrase, terms);
    const best = whole > 0 ? hitsOf(lower, phrase) : hits.toSorted((a, b) => b.count - a.count)[0];
    // Each word counts once in a line.
    const score = hits.reduce((sum, { count }) => sum + Math.min(1, count), 0);
    return { score: score + whole * (terms.length + 1), at: best?.at ?? 0 };
  });
}

/** The best lines are shown, each up to a length. */
const mostLines = 3;
const longestLine = 240;

/**
 * Returns the lines of a text that score highest, in the order of the text, each with its number. The numbers also keep a line of the text
 * from looking like a line of the answer. A long line is cut around the place that `at` names.
 */
export function excerptOf(
  text: string,
  scoreOf: (line: string) => { readonly score: number; readonly at: number },
): readonly string[] {
  const best: { readonly line: string; readonly number: number; readonly score: number; readonly at: number }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const { score, at } = scoreOf(line);
    if (score <= (best.length < mostLines ? 0 : (best.at(-1)?.score ?? 0))) continue;
    best.push({ line, number: index + 1, score, at });
    best.sort((a, b) => b.score - a.score || a.number - b.number).splice(mostLines);
  }
  return best
    .toSorted((a, b) => a.number - b.number)
    .map(({ line, number, at }) => `  ${number}| ${around(line.replaceAll('\r', ' '), at)}`);
}

function around(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const start = Math.max(0, Math.min(at - longestLine / 3, line.length - longestLine));
  const end = start + longestLine;
  return `${start > 0 ? '…' : ''}${sliceText(line, start, end)}${end < line.length ? '…' : ''}`;
}
