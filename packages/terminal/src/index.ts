export type { Colours } from './colours.js';
export { coloursFor } from './colours.js';
export { cutToWidth, widthOf } from './cut-to-width.js';
export type { LineStream, PrintLine } from './line-printer.js';
export { isReaderGone, linePrinter } from './line-printer.js';
export { onOneLine, shownJson, shownLines } from './shown-text.js';
export { terminalWidth } from './terminal-width.js';
export { wrapToWidth } from './wrap-to-width.js';
