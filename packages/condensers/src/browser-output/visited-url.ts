import { sliceText, toolResultContent } from '@palimpsest/events';
import type { LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { parseArguments } from '../authoring/calls/arguments.js';
import { oneLine } from '../authoring/calls/excerpt.js';
import { remembered } from '../authoring/calls/remembered.js';

/** Unit: characters. */
const longestUrl = 200;
/** The number of earlier events that are searched for an address. Unit: events. */
const lookBack = 200;
const anyUrl = /\bhttps?:\/\/[^\s"'`<>()[\]]+/i;
/** The labels with which tools write the address of the page. */
const labelled = /\b(?:page |current |visited )?url["']?\s*[:=]\s*["'(<]?((?:https?|file):\/\/[^\s"'<>)]+)/i;

/**
 * Returns the address of the page that a browser tool showed, cut to 200 characters: the address in the call, or the one in the result's
 * label, or the last one that an earlier browser call opened. Empty if no event names an address.
 */
export function visitedUrl(
  view: View,
  result: ToolResultEvent,
  index: number,
  isBrowser: (toolName: string) => boolean,
): string {
  const own = urlOfCall(view.callOf(result.id)) ?? urlOfResult(result);
  if (own !== undefined) return oneLine(own, longestUrl);
  for (let before = index - 1; before >= Math.max(0, index - lookBack); before--) {
    const event = view.events.at(before);
    if (event?.type !== 'action' || !isBrowser(event.toolCall.name)) continue;
    const url = urlOfCall(event);
    if (url !== undefined) return oneLine(url, longestUrl);
  }
  return '';
}

const urlOfCall = (event: LLMConvertibleEvent | undefined): string | undefined =>
  event === undefined ? undefined : urlInCall(event, undefined);

const urlInCall = /* @__PURE__ */ remembered((event: LLMConvertibleEvent, _: undefined): string | undefined => {
  if (event.type !== 'action') return undefined;
  const { leaves, plainText } = parseArguments(event.toolCall.arguments);
  const named = leaves.find(
    ({ words, value }) => ['url', 'uri', 'href'].includes(words.at(-1) ?? '') && typeof value === 'string',
  );
  if (typeof named?.value === 'string' && named.value.trim() !== '') return named.value;
  // Some tools take a command: `goto https://example.org`.
  for (const text of [...leaves.map(({ value }) => value), plainText]) {
    const match = typeof text === 'string' ? anyUrl.exec(sliceText(text, 0, 2_000)) : null;
    if (match !== null) return match[0];
  }
  return undefined;
});

function urlOfResult(event: ToolResultEvent): string | undefined {
  if (event.type === 'observation' && typeof event.details?.['url'] === 'string') return event.details['url'];
  for (const part of toolResultContent(event)) {
    const match = part.type === 'text' ? labelled.exec(sliceText(part.text, 0, 2_000)) : null;
    if (match !== null) return match[1];
  }
  return undefined;
}
