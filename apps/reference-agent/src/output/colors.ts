import pc from 'picocolors';

/** Functions that colour text, or leave it as it is. */
export type Colors = ReturnType<typeof pc.createColors>;

/** Colours where the stream is a terminal and nothing in the environment forbids them. */
export function colorsFor(stream: { readonly isTTY?: boolean }): Colors {
  return pc.createColors(stream.isTTY === true && pc.isColorSupported);
}
