import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { argumentRoles, parseArguments } from '../../authoring/calls/arguments.js';
import type { FileOperation } from '../../authoring/calls/arguments.js';
import { remembered } from '../../authoring/calls/remembered.js';
import { factsAlone } from '../manifest/call-facts.js';
import { writesAll } from '../manifest/file-facts.js';

/** A file that a call has read or changed. */
export interface FileUse {
  readonly path: string;
  readonly operation: FileOperation;
  /** True if the call's arguments hold the whole content of the file. */
  readonly holdsContent: boolean;
}

/** The effects of a finished call on files, as far as its words show them. */
export interface FileEffects {
  readonly action: ActionEvent;
  readonly files: readonly FileUse[];
  /** True for a command that may change files without naming them, such as `git stash` or a formatter. */
  readonly changesUnnamed: boolean;
  /** The text of a program that may write the files that it names. Empty if there is none. */
  readonly script: string;
}

const changingCommand =
  /\bgit\s+(?:checkout(?!\s+-[bB]\b)|switch(?!\s+-c\b)|restore|reset|stash|pull|merge|rebase|revert|cherry-pick|am|apply|clean)\b|--(?:write|fix)\b|\b(?:cargo|go|deno|dotnet)\s+(?:fmt|format)\b|\bgofmt\s+-w\b|\b(?:black|isort|autopep8|rustfmt)\s|\bpatch\s+-/;
const interpreter = /\b(?:python[\d.]*|node|perl|ruby|php|ed|ex|awk)\s/;
const writing = /write|replace|rename|unlink|remove|['"][wa]b?\+?['"]|-i\b/i;
/** What of a command is read. Unit: characters. */
const mostOfCommand = 20_000;

/**
 * Returns the effects of a finished call on files, from the log as it was written. Empty for an event that is no result
 * that names its call.
 */
export function filesOfResult(view: View, id: EventId): readonly FileUse[] {
  return effectsOf(view, [{ id }]).next().value?.effects.files ?? [];
}

/**
 * Yields the effects of some events' calls on files, in the order of their results. A result that does not name its
 * action belongs to the newest call among these events with its call id; if there is none, it is left out.
 */
export function* effectsOf(
  view: View,
  events: Iterable<{ readonly id: EventId }>,
): Generator<{ readonly id: EventId; readonly effects: FileEffects }, undefined> {
  const calls = new Map<string, ActionEvent>();
  for (const { id } of events) {
    const event = view.original(id);
    if (event === undefined || !isLLMConvertible(event)) continue;
    if (event.type === 'action') calls.set(event.toolCall.id, event);
    if (!isToolResult(event)) continue;
    const named = event.actionId === undefined ? undefined : view.original(event.actionId);
    const action = named?.type === 'action' ? named : calls.get(event.toolCallId);
    if (action !== undefined) yield { id, effects: read(event, action) };
  }
  return undefined;
}

const read = /* @__PURE__ */ remembered((result: ToolResultEvent, action: ActionEvent): FileEffects => {
  const roles = argumentRoles(parseArguments(action.toolCall.arguments));
  const command = roles.command?.slice(0, mostOfCommand) ?? '';
  const holds = writesAll({ toolName: action.toolCall.name, roles });
  const files = factsAlone(action, result).flatMap((fact) => {
    if (fact.kind !== 'file') return [];
    const { path, operation } = fact;
    const isNew = operation === 'created' && roles.patch !== undefined;
    return [{ path, operation, holdsContent: operation !== 'read' && operation !== 'deleted' && (holds || isNew) }];
  });
  const isScript = interpreter.test(command) && writing.test(command);
  return { action, files, changesUnnamed: changingCommand.test(command), script: isScript ? command : '' };
});
