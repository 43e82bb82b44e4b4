import type { Frame } from './emulated-screen.js';

/** A check that returns the fault in the lines of a frame; undefined if there is none. */
export type FrameRule = (lines: readonly string[]) => string | undefined;

/**
 * Returns the faults of the frames that a reader saw: lines wider than the terminal, text outside of a synchronized
 * update, and what breaks a rule of the caller. One line a fault, with the frame. Empty if every frame was whole.
 */
export function frameFaults(frames: readonly Frame[], ...rules: readonly FrameRule[]): readonly string[] {
  return frames.flatMap(({ lines, wrapped, hasStrayText }, index) => {
    const faults = [
      ...(wrapped.length === 0 ? [] : [`lines ${wrapped.join(', ')} were wrapped`]),
      ...(hasStrayText ? ['text was painted before it, outside of an update'] : []),
      ...rules.flatMap((rule) => rule(lines) ?? []),
    ];
    return faults.map((fault) => `frame ${index}: ${fault}\n${lines.join('\n').replace(/\n{3,}/g, '\n\n')}`);
  });
}
