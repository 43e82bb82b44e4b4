import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text. */
export type TextCounter = (text: string) => number;

/** Text of a log may look like a control token; it is counted as text. */
const asText = { disallowedSpecial: new Set<string>() };

/** A tokenizer's time is quadratic in a run without white space, so long runs are cut; a cut adds at most one token. */
const longRun = /(\S{512}|\s{512})/u;

/** A counter with the o200k vocabulary. It remembers each text, because most of a history is sent again and again. */
export function textCounter(): TextCounter {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = 0;
      for (const piece of text.split(longRun)) if (piece !== '') tokens += countTokens(piece, asText);
      known.set(text, tokens);
    }
    return tokens;
  };
}
