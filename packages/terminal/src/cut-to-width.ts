import truncatedWidth from 'fast-string-truncated-width';

/** Made when a line is cut for the first time: it takes 5 ms. */
let graphemes: Intl.Segmenter | undefined;

/**
 * The line, cut to a width of the terminal with `…` at its end. Wide characters count twice, and what is shown as one
 * character is kept or cut as one. Unit of `width`: columns.
 */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let kept = '';
  let used = 1;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(line)) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

/** The width of a text. Unit: columns. */
export function widthOf(text: string): number {
  // The library's own cut is one column too wide after some characters, so only its measure is used.
  return truncatedWidth(text).width;
}
