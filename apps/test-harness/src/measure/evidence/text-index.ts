/** Finds the texts in which a span stands. */
export interface TextIndex {
  /** The indices of the texts that hold the span at token boundaries, in their order. */
  holding(span: string): readonly number[];
}

const words = /[A-Za-z0-9_]{3,}/g;

/** Indexes texts by their words, so that a span is looked for only in texts that hold its rarest word. */
export function textIndex(texts: readonly string[]): TextIndex {
  const byWord = new Map<string, number[]>();
  texts.forEach((text, index) => {
    for (const word of new Set(text.match(words))) {
      const places = byWord.get(word);
      if (places === undefined) byWord.set(word, [index]);
      else places.push(index);
    }
  });
  const known = new Map<string, readonly number[]>();
  return {
    holding: (span) => {
      let found = known.get(span);
      if (found === undefined) {
        const places = [...new Set(span.match(words))].map((word) => byWord.get(word) ?? []);
        const [rarest = []] = places.sort((one, other) => one.length - other.length);
        found = rarest.filter((index) => holdsSpan(texts[index] ?? '', span));
        known.set(span, found);
      }
      return found;
    },
  };
}

const insideOfWord = /[A-Za-z0-9_]/;

/** True if the text holds the span and no word goes on before or behind it. */
export function holdsSpan(text: string, span: string): boolean {
  const [openStart, openEnd] = [/^\W/.test(span), /\W$/.test(span)];
  for (let at = text.indexOf(span); at !== -1; at = text.indexOf(span, at + 1)) {
    const startsWord = openStart || !insideOfWord.test(text[at - 1] ?? ' ');
    if (startsWord && (openEnd || !insideOfWord.test(text[at + span.length] ?? ' '))) return true;
  }
  return false;
}
