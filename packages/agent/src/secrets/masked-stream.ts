import { textBoundary } from '@palimpsest/events';
import { heldFrom } from './plain-reading.js';
import { withoutSecrets } from './secret-search.js';
import type { SecretSearch } from './secret-search.js';

/** A text on its way. */
export interface TextStream {
  write(text: string): void;
  /** Nothing comes after this. */
  end(): void;
  /** Nothing comes after this, and the text was not complete: an end with which a value begins is not emitted. */
  cut(): void;
}

/** Emits a text with the values hidden, as soon as no value can begin in what is emitted and end in what is not. */
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
      const end = heldFrom(rest, { length: search.longest, most: 16 * search.longest + 4_096 });
      if (end <= 0) return;
      const across = search.find(rest).find((place) => place.start < end && place.end > end);
      release(across?.start ?? textBoundary(rest, end));
    },
    end: () => release(rest.length),
    cut: () => release(rest.length, (text) => search.withoutBegun(text)),
  };
}
