import type { ToolResultEvent } from '@palimpsest/events';
import { remembered } from '../../authoring/calls/remembered.js';
import { longestLine } from './quotable.js';
import { keysOf } from './text-lines.js';

/** Runs of the characters of paths: one without a slash is none. A pattern for the slash would be quadratic in a long word. */
const run = /[\w.@~/-]{3,}/g;
const number = /[0-9a-f]{6,}|\d+/g;

/** Returns a line with its paths and numbers blanked. */
function shapeOf(key: string): string {
  const withoutPaths = key.includes('/') ? key.replace(run, (word) => (/\/\w/.test(word) ? 'P' : word)) : key;
  return withoutPaths.replace(number, '#');
}

/** The shapes of lines that hold a path or a number. */
interface Shapes {
  readonly ofLines: ReadonlyMap<string, string>;
  readonly distinct: ReadonlySet<string>;
}

/** Returns the shapes of a result's lines. A result is read once. */
export const shapesOf: (event: ToolResultEvent) => Shapes = (event) => readShapes(event, undefined);

const readShapes = /* @__PURE__ */ remembered((event: ToolResultEvent, _: undefined): Shapes => {
  const ofLines = new Map<string, string>();
  for (const key of keysOf(event)) {
    const shape = key.length > longestLine ? key : shapeOf(key);
    if (shape !== key) ofLines.set(key, shape);
  }
  return { ofLines, distinct: new Set(ofLines.values()) };
});
