import {
  addressOf,
  describeHostFile,
  hostFilesOf,
  isToolResult,
  sliceText,
  toolResultContent,
} from '@palimpsest/events';
import type { Redaction, ToolResultEvent } from '@palimpsest/events';
import { recallToolName } from '@palimpsest/relevance-tool';
import { keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** The part of a cut result that stays: at each end this share of the room, and at most so many characters. */
const endShare = 1 / 32;
const longestEnd = 8_000;
const charsPerToken = 4;

/**
 * The choice of results that are cut: those that alone are larger than `least`, the largest first, as many as
 * `isNeeded` wants.
 */
export interface CuttingOptions {
  /** Unit: tokens, as the view estimates. */
  readonly least: number;
  /** The largest size of the view. Unit: tokens. */
  readonly room: number;
  /** True if the model has the tool that reads what was cut. */
  readonly canRecall: boolean;
  /** The size by which a result is large. Unit: tokens. @defaultValue all of it */
  readonly sizeOf?: ((event: ToolResultEvent) => number) | undefined;
  /** True if the next one has to be cut too, given what was saved. Unit: tokens. @defaultValue all of them */
  readonly isNeeded?: ((saved: number) => boolean) | undefined;
}

/** A result that was cut in the middle. */
export interface Cut {
  readonly redaction: Redaction;
  /** The index of the event in the view. */
  readonly index: number;
  /** Unit: tokens, as the view estimates. */
  readonly saved: number;
}

/** Cuts the largest results of a view. What is pinned or protected stays, and so does what is cut already. */
export function cutResults(
  view: View,
  { least, room, canRecall, sizeOf = (event) => view.tokensOf(event), isNeeded = () => true }: CuttingOptions,
): readonly Cut[] {
  const found = view.events.filter(
    (event): event is ToolResultEvent => isToolResult(event) && event.redacted !== true && sizeOf(event) > least,
  );
  if (found.length === 0) return [];
  const kept = keptEventIds(view);
  const large = found.filter(({ id }) => !kept.has(id)).sort((one, other) => view.tokensOf(other) - view.tokensOf(one));
  let saved = 0;
  return large.flatMap((event) => {
    if (!isNeeded(saved)) return [];
    const text = cutText(event, Math.min(longestEnd, Math.floor(room * endShare) * charsPerToken), canRecall);
    const cut = {
      redaction: { eventId: event.id, text },
      index: view.indexOf(event.id) ?? 0,
      saved: Math.max(0, view.tokensOf(event) - Math.ceil(text.length / charsPerToken)),
    };
    saved += cut.saved;
    return [cut];
  });
}

/** The beginning and the end of a result, and between them what is left out and its address. */
function cutText(event: ToolResultEvent, end: number, canRecall: boolean): string {
  const parts = toolResultContent(event).map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
  const text = parts.join('\n');
  const [head, tail] = [sliceText(text, 0, end), sliceText(text, Math.max(end, text.length - end))];
  const left = text.length - head.length - tail.length;
  const what = [...(left === 0 ? [] : [`${left} characters`]), ...hostFilesOf(event).map(describeHostFile)];
  const how = canRecall ? ` ${recallToolName} returns the original.` : ' Ask for a smaller part of it.';
  const note = `[${what.join(' and ')} ${what.length === 1 && left === 0 ? 'is' : 'are'} left out here, because the result is too large for the window. Address: ${addressOf(event.id)}.${how}]`;
  return [head, note, tail].filter((part) => part !== '').join('\n');
}
