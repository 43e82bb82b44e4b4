import type { ActionEvent } from '@palimpsest/events';
import { argumentRoles, filesOfPatch, parseArguments } from '../../authoring/calls/arguments.js';
import type { ArgumentRoles } from '../../authoring/calls/arguments.js';
import { oneLine } from '../../authoring/calls/excerpt.js';
import { shellFileFacts } from '../facts/shell-files.js';
import { remembered } from '../../authoring/calls/remembered.js';

/** What a call is about, in one line. */
interface Title {
  readonly path: string | undefined;
  readonly text: string;
}

const longestTitle = 100;

const read = /* @__PURE__ */ remembered((action: ActionEvent, _: undefined): Title => {
  const call = parseArguments(action.toolCall.arguments);
  const roles = argumentRoles(call);
  const [path] = roles.command === undefined ? roles.paths : filesRead(roles.command);
  const query = call.leaves.find(({ value }) => typeof value === 'string' && value !== path)?.value;
  const patched = roles.patch === undefined ? undefined : filesOfPatch(roles.patch).map((file) => file.path);
  const searched =
    roles.hasQuery && path !== undefined && query !== undefined ? `${String(query)} in ${path}` : undefined;
  const about = roles.command ?? searched ?? path ?? patched?.join(', ') ?? query ?? '';
  return {
    path: roles.command !== undefined || isOneFile(roles) ? path : undefined,
    text: oneLine(`${action.toolCall.name} ${String(about)}`, longestTitle),
  };
});

/** The file that a shell text prints, if it does nothing else with files. */
function filesRead(command: string): readonly string[] {
  const files = shellFileFacts(command, () => true).filter((fact) => fact.kind === 'file');
  const paths = new Set(files.map(({ path }) => path));
  return paths.size === 1 && files.every(({ operation }) => operation === 'read') ? [...paths] : [];
}

/** A search names a folder or several files; its lines are not those of one. */
function isOneFile({ paths, hasQuery }: ArgumentRoles): boolean {
  return paths.length === 1 && !hasQuery;
}

/** Returns the file that a call names. Undefined for a command, a search and a call that names several. */
export function pathOfCall(action: ActionEvent): string | undefined {
  return read(action, undefined).path;
}

/** Returns the tool of a call, and its path, command or first argument, in one line. */
export function titleOfCall(action: ActionEvent): string {
  return read(action, undefined).text;
}
