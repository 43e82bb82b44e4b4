import { isToolResult } from '@palimpsest/events';
import type { Condensation, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { argumentRoles, parseArguments } from '../authoring/calls/arguments.js';

/** Words that agents put in the place of a file that they believe to stand in the conversation already: Qwen Code, Claude Code. */
const isReference = /\bunchanged since (?:the |your )?last read\b/i;
/** Such an answer is shorter. Unit: characters. */
const mostCharacters = 1_000;

/**
 * Returns true for a result that refers the model to an earlier one of the same file, where condensations have hidden that. It brings no text
 * back, and the call was made because of them all the same.
 *
 * @param before - the condensations before the result
 */
export function refersToHidden(view: View, event: ToolResultEvent, before: readonly Condensation[]): boolean {
  if (event.type !== 'observation') return false;
  const text = event.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (text.length > mostCharacters || !isReference.test(text)) return false;
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
