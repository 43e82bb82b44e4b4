export type { Colours } from './colours.js';
export { coloursFor } from './colours.js';
export { cutToWidth, widthOf } from './cut-to-width.js';
export type { PrintLine } from './line-printer.js';
export { linePrinter } from './line-printer.js';
export { onOneLine, shownJson, shownLines } from './shown-text.js';
