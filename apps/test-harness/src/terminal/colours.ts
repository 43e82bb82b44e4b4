import pc from 'picocolors';

/** The styles of the commands that print text. */
export type Colours = Pick<ReturnType<typeof pc.createColors>, 'bold' | 'dim' | 'red' | 'green'>;

/** Colours for a terminal; plain text for anything else, and where `NO_COLOR` is set. */
export function coloursFor(stream: { readonly isTTY?: boolean }): Colours {
  return pc.createColors(pc.isColorSupported && stream.isTTY === true);
}
