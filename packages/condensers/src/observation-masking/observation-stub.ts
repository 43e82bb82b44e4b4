import { addressOf, describeHostFile, hostFilesOf, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, ToolResultEvent } from '@palimpsest/events';
import { argumentRoles, parseArguments } from '../authoring/calls/arguments.js';
import { readResult, statusText } from '../authoring/calls/result.js';
import { firstLineOf } from './first-line.js';
import { stubText } from './observation-masking.prompt.js';
import { pathsWithin } from './paths-within.js';

/**
 * The replacement for a masked result: the tool, the address and the size of the result, how the call ended, the result's first
 * line, and the paths that the result names, as far as they fit. Undefined if it would not be shorter than the result.
 */
export function observationStub(
  event: ToolResultEvent,
  action: ActionEvent | undefined,
  { maxPathTokens }: { readonly maxPathTokens: number },
): string | undefined {
  const isCommand =
    action !== undefined && argumentRoles(parseArguments(action.toolCall.arguments)).command !== undefined;
  const { body, status } = readResult(event, { isCommand });
  let text = '';
  let images = 0;
  for (const part of toolResultContent(event)) {
    if (part.type === 'text') text += (text === '' ? '' : '\n') + part.text;
    else images++;
  }
  const files = hostFilesOf(event).map(describeHostFile);
  const firstLine = firstLineOf(body);
  const stub = stubText({
    toolName: event.toolName,
    address: addressOf(event.id),
    lines: text === '' ? 0 : text.split('\n').length,
    characters: text.length,
    images,
    files,
    status: status === 'ok' ? undefined : statusText(status),
    firstLine,
    ...pathsWithin(event, { text, shown: firstLine, maxPathTokens }),
  });
  return images === 0 && files.length === 0 && stub.length >= text.length ? undefined : stub;
}
