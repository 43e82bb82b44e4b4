export type { Colours } from './text.js';
export {
  coloursFor,
  cutToWidth,
  printableJson,
  printableLine,
  printableText,
  terminalWidth,
  widthOf,
  wrapToWidth,
} from './text.js';
// The names of before, until the applications use those above.
export { printableJson as shownJson, printableLine as onOneLine, printableText as shownLines } from './text.js';
export type { LineStream, PrintLine } from './lines.js';
export { isReaderGone, linePrinter } from './lines.js';
