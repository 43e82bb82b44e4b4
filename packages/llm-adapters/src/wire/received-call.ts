import type { CallState } from '../llm.js';
import { textOf } from './json-fields.js';
import type { Piece } from './pieces.js';
import { isReadableInput } from './tool-input.js';
import type { ToolNames } from './tool-names.js';

/** The name of a call for which the model gave no name. Every provider accepts it in a history. */
export const unnamedToolName = 'unnamed_tool';

/** The tool name of a result without a call. */
export const unknownToolName = 'unknown_tool';

/** The tool name of a call, from any value that the server sent as the name. */
export function receivedToolName(name: unknown, names: Pick<ToolNames, 'fromWire'>): string {
  const text = textOf(name);
  return text === undefined || text.trim() === '' ? unnamedToolName : names.fromWire(text);
}

/** The state of a call by the value in which its arguments came: only text is raw. */
export function stateOf(value: unknown): CallState {
  return typeof value === 'string' ? 'as-written' : 'parsed';
}

/** A piece behind which the provider went on: a call is then whole, where its text cannot say so. */
export function followed(piece: Piece): Piece {
  if (piece.type !== 'call') return piece;
  const { state = 'as-written', arguments: text } = piece;
  const saysNothing = state === 'parsed' || (state === 'as-written' && text.trim() === '');
  return saysNothing ? { ...piece, state: 'complete' } : piece;
}

/** The arguments of a call as JSON text: some servers send parsed arguments, some send none. */
export function receivedArguments(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/**
 * The free text of a custom tool's call as arguments: a JSON object with the field `input`. Text that is a JSON object stays
 * unchanged.
 */
export function customToolArguments(input: unknown): string {
  const text = receivedArguments(input);
  return text.trim() !== '' && isReadableInput(text) ? text : JSON.stringify({ input: text });
}
