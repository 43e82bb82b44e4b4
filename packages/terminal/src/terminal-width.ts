/**
 * The width of a terminal. Unit: columns.
 *
 * @param otherwise - for what is no terminal, and for a terminal that does not know its width. The default is 80
 */
export function terminalWidth({ columns }: { readonly columns?: number | undefined }, otherwise = 80): number {
  return columns === undefined || columns < 1 ? otherwise : columns;
}
