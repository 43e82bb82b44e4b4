import { listIn, objectIn, textIn } from '../rules/wire/wire-json.js';
import type { JsonObject } from '../rules/wire/wire-json.js';

/** An act of the model, in no host's words. */
export type Act =
  | { readonly do: 'read'; readonly file: string; readonly lines?: readonly [number, number] | undefined }
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  | { readonly do: 'edit'; readonly file: string; readonly oldText: string; readonly newText: string }
  | { readonly do: 'run'; readonly command: string };

/** A call of a host's tool. */
export interface HostCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** A tool as a request offers it. */
export interface OfferedTool {
  readonly name: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** The names under which agents offer a tool. */
const tools: Readonly<Record<Act['do'], RegExp>> = {
  read: /^(?:read_file|read|view)$/i,
  write: /^(?:write_file|write|create_file)$/i,
  edit: /^(?:edit_file|edit|replace|str_replace)$/i,
  run: /^(?:run_command|bash|run_shell_command|shell|exec_command)$/i,
};

/** The names of what a tool takes. A `path` is relative to the agent's folder, the others are absolute. */
const keys = {
  path: ['path', 'file_path', 'absolute_path', 'filePath'],
  text: ['content', 'contents', 'file_text'],
  oldText: ['old_text', 'old_string', 'oldText', 'oldString', 'old_str'],
  newText: ['new_text', 'new_string', 'newText', 'newString', 'new_str'],
  first: ['start_line', 'offset'],
  last: ['end_line'],
  count: ['limit'],
  command: ['command', 'cmd'],
} as const;

/** Returns the tools that a request of any of the APIs offers. */
export function toolsOf(body: JsonObject): readonly OfferedTool[] {
  return listIn(body['tools']).flatMap((each) => {
    const tool = objectIn(objectIn(each)?.['function']) ?? objectIn(each);
    const name = textIn(tool?.['name']);
    const schema = objectIn(tool?.['input_schema']) ?? objectIn(tool?.['parameters']);
    if (name === undefined) return [];
    const required = listIn(schema?.['required']).filter((key) => typeof key === 'string');
    return [{ name, properties: objectIn(schema?.['properties']) ?? {}, required }];
  });
}

/**
 * Returns the call for an act, with the names of the host's own tool. Undefined if the host offers none.
 *
 * @param folder - the agent's folder, for hosts that take absolute paths
 */
export function callFor(act: Act, offered: readonly OfferedTool[], folder: string): HostCall | undefined {
  const tool = offered.find(({ name }) => tools[act.do].test(name));
  if (tool === undefined) return undefined;
  const { name, properties, required } = tool;
  const input: Record<string, unknown> = {};
  const set = (kind: keyof typeof keys, value: unknown): void => {
    const key = keys[kind].find((each) => each in properties);
    if (key !== undefined) input[key] = kind === 'path' && key !== 'path' ? `${folder}/${String(value)}` : value;
  };
  if ('file' in act) set('path', act.file);
  if (act.do === 'write') set('text', act.text);
  if (act.do === 'run') set('command', act.command);
  if (act.do === 'edit') {
    set('oldText', act.oldText);
    set('newText', act.newText);
  }
  if (act.do === 'read' && act.lines !== undefined) {
    const [first, last] = act.lines;
    set('first', first);
    set('last', last);
    set('count', last - first + 1);
  }
  for (const key of required) input[key] ??= usualValue(objectIn(properties[key])?.['type']);
  return { name, input };
}

/** Arguments that a host wants beside the act: a description, a flag. */
function usualValue(type: unknown): unknown {
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 1 : 'As planned.';
}
