import type { Message } from '@palimpsest/events';
import { namesInHistory } from './tool-names.js';

/**
 * The names of the tools that a history calls, well-formed, in order of appearance. Providers refuse calls and results in a request without
 * tools; the adapter can declare these names instead.
 *
 * @see provider-rules A26
 */
export function calledTools(messages: readonly Message[]): readonly string[] {
  return [...new Set([...namesInHistory(messages)].map((name) => name.toWellFormed()))];
}
