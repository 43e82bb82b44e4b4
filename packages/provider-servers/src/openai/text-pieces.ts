/** Splits a text into pieces for a stream. Never splits a code point. Unit of `size`: code points. */
export function textPieces(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < points.length; start += size) pieces.push(points.slice(start, start + size).join(''));
  return pieces;
}
