import { addressOf, describeHostFile, hostFilesOf, sliceText, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, ToolResultEvent } from '@palimpsest/events';
import { argumentRoles, parseArguments } from '../authoring/calls/arguments.js';
import { pathsOf } from '../authoring/calls/paths.js';
import { readResult, statusText } from '../authoring/calls/result.js';
import { stubText } from './observation-masking.prompt.js';
import type { NamedPaths } from './observation-masking.prompt.js';

/**
 * Returns the replacement for a masked result: the tool, the address and the size of the result, how the call ended, the result's first
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

/** A longer line is cut. Unit: characters. */
const longest = 100;
const partOfPath = /[\w@~./:#-]/;
const pathAtEnd = /[\w@~./:#-]+$/;

/** Returns the first line of a text that is not blank, word for word, or its beginning. It is not cut within a path or a word. */
export function firstLineOf(text: string): string {
  const [line = ''] = /\S.*/.exec(text) ?? [];
  if (line.length <= longest) return line.trimEnd().toWellFormed();
  const cut = sliceText(line, 0, longest - 1);
  const isWithin = partOfPath.test(cut.at(-1) ?? '') && partOfPath.test(line[cut.length] ?? '');
  const whole = (isWithin ? cut.replace(pathAtEnd, '') : cut).trimEnd();
  return whole === '' ? '' : `${whole}…`.toWellFormed();
}

/** The most that the paths in a note take of what it hides. Unit: share of the characters. */
const shareOfPaths = 0.15;
/** Paths are shorter words than prose: a token of them has about three characters. */
const charactersPerToken = 3;

/**
 * Returns the paths that stand in a text of an event and not in what is shown of it, in order, as far as they fit: they take at most
 * 15 % of the text.
 *
 * @param shown - What is shown beside the paths.
 */
export function pathsWithin(
  event: ActionEvent | ToolResultEvent,
  { text, shown, maxPathTokens }: { readonly text: string; readonly shown: string; readonly maxPathTokens: number },
): NamedPaths {
  const space = Math.min(text.length * shareOfPaths, maxPathTokens * charactersPerToken);
  if (space <= 0) return { paths: [], otherPaths: 0 };
  return fitting(
    pathsOf(event).filter((path) => text.includes(path) && !shown.includes(path)),
    space,
  );
}

/** Returns the paths that fit into a space with what stands between them. Unit of the space: characters. */
export function fitting(all: readonly string[], space: number): NamedPaths {
  const paths: string[] = [];
  let left = space;
  for (const path of all) {
    const characters = path.length + 2;
    if (characters > left) continue;
    paths.push(path);
    left -= characters;
  }
  return { paths, otherPaths: all.length - paths.length };
}
