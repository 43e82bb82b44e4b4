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
export { alignedTable } from './table.js';
export type { LineStream, PrintLine } from './lines.js';
export { isReaderGone, linePrinter } from './lines.js';
