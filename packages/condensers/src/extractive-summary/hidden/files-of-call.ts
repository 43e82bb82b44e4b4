import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { FileOperation } from '../../authoring/tool-calls/patch-files.js';
import { remembered } from '../../authoring/remembered.js';
import { callFacts } from '../manifest/call-facts.js';

/** A file that a call has read or changed. */
export interface FileUse {
  readonly path: string;
  readonly operation: FileOperation;
}

/** What a finished call did to files, from the log as it was written. Empty for an event that is no result of a known call. */
export function filesOfResult(view: View, id: EventId): readonly FileUse[] {
  const result = view.original(id);
  if (result === undefined || !isLLMConvertible(result) || !isToolResult(result) || result.actionId === undefined)
    return [];
  const action = view.original(result.actionId);
  return action?.type === 'action' ? uses(result, action) : [];
}

const uses = /* @__PURE__ */ remembered((result: ToolResultEvent, action: ActionEvent): readonly FileUse[] =>
  callFacts(action, result, { knowsFile: () => true, isFailing: () => false }).flatMap((fact) =>
    fact.kind === 'file' ? [{ path: fact.path, operation: fact.operation }] : [],
  ),
);
