import pc from 'picocolors';

/** Functions that colour text, or leave it as it is. */
export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for a terminal; plain text for anything else, and where `NO_COLOR` is set. */
export function coloursFor(stream: { readonly isTTY?: boolean }): Colours {
  return pc.createColors(pc.isColorSupported && stream.isTTY === true);
}
