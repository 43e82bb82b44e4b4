const usualWidth = 80;

/** The width of a terminal. Unit: columns. 80 for what is no terminal, and for a terminal that does not know its width. */
export function terminalWidth({ columns }: { readonly columns?: number | undefined }): number {
  return columns === undefined || columns < 1 ? usualWidth : columns;
}
