import { textBoundary } from '@palimpsest/events';
import { releasableLength } from './plain-reading.js';
import { withoutSecrets } from './secret-search.js';
import type { SecretSearch } from './secret-search.js';

/** A text that is written in pieces. */
export interface TextStream {
  write(text: string): void;
  /** The text is complete. */
  end(): void;
  /** The text was cut off. An end with which a value may begin is dropped. */
  cut(): void;
}

/** Emits a text with the values hidden, as soon as no value can begin in the emitted part and end in the rest. */
export function maskedStream(search: SecretSearch, emit: (text: string) => void): TextStream {
  let rest = '';
  const release = (end: number, finish = (text: string) => text): void => {
    const [masked = ''] = withoutSecrets([rest.slice(0, end)], search);
    const text = finish(masked);
    rest = rest.slice(end);
    if (text !== '') emit(text);
  };
  return {
    write(text) {
      rest += text;
      const { longest, longestBrokenUp } = search;
      const end = releasableLength(rest, { length: longest, letters: longestBrokenUp, most: 16 * longest + 4_096 });
      if (end <= 0) return;
      const across = search.find(rest).find((place) => place.start < end && place.end > end);
      release(across?.start ?? textBoundary(rest, end));
    },
    end: () => release(rest.length),
    cut: () => release(rest.length, (text) => search.withoutBegun(text)),
  };
}
