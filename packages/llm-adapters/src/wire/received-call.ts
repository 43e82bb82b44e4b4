import { textOf } from './json-fields.js';
import { isReadableInput } from './tool-input.js';
import type { ToolNames } from './tool-names.js';

/** The name under which a call stands that the model gave none. Every provider takes it back. */
export const unnamedToolName = 'unnamed_tool';

/** The name under which a result stands whose call is not there. */
export const unknownToolName = 'unknown_tool';

/** The tool that a call names, whatever the server sent as its name. */
export function receivedToolName(name: unknown, names: Pick<ToolNames, 'fromWire'>): string {
  const text = textOf(name);
  return text === undefined || text.trim() === '' ? unnamedToolName : names.fromWire(text);
}

/** The arguments of a call as JSON text: some servers parse them before they send them, some leave them out. */
export function receivedArguments(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/** The free text that a custom tool takes, as arguments: JSON of the field `input`. Text of a JSON object stays as it is. */
export function customToolArguments(input: unknown): string {
  const text = receivedArguments(input);
  return text.trim() !== '' && isReadableInput(text) ? text : JSON.stringify({ input: text });
}
