import { isToolResult } from '@palimpsest/events';
import type { Condensation, ToolResultEvent } from '@palimpsest/events';
import { isReference } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { argumentRoles, parseArguments } from '../authoring/calls/arguments.js';

/**
 * Returns true for a result that refers the model to an earlier one of the same file, where condensations have hidden that. It brings no text
 * back, and the call was made because of them all the same.
 *
 * @param before - the condensations before the result
 */
export function refersToHidden(view: View, event: ToolResultEvent, before: readonly Condensation[]): boolean {
  if (!isReference(event)) return false;
  const paths = pathsOf(view, event);
  return before.some(({ forgottenEventIds, redactions = [] }) =>
    [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)].some((id) => {
      const hidden = view.original(id);
      return hidden !== undefined && isToolResult(hidden) && pathsOf(view, hidden).some((path) => paths.includes(path));
    }),
  );
}

function pathsOf(view: View, event: ToolResultEvent): readonly string[] {
  const call = view.callOf(event.id);
  return call === undefined ? [] : argumentRoles(parseArguments(call.toolCall.arguments)).paths;
}
