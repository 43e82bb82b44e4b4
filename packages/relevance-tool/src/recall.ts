import {
  addressOf,
  defineTool,
  isLLMConvertible,
  isToolResult,
  messageContent,
  textRange,
  toolResultContent,
  wellFormedPart,
} from '@palimpsest/events';
import type { ContentPart, Event, Tool, ToolContext, ToolOutput } from '@palimpsest/events';
import * as z from 'zod/mini';
import { recallDescription } from './description.prompt.js';
import { resolveReference } from './reference.js';
import { describeEvent } from './rejection.js';
import { recallToolName } from './tool-names.js';

/** What the model writes to the recall tool. */
export interface RecallInput {
  readonly event_id: string;
  readonly offset?: number | undefined;
}

/**
 * The counterpart of the relevance tool: returns the original of a tool result, a call or a message from the log, so that no
 * redaction loses anything. Long originals come in parts. The tool only reads the log.
 */
export function recallTool(
  options: {
    /** Longest part. Unit: characters. @defaultValue 20,000 */
    readonly maxCharacters?: number;
  } = {},
): Tool<RecallInput> {
  const { maxCharacters = 20_000 } = options;
  if (!Number.isInteger(maxCharacters) || maxCharacters < 1) {
    throw new RangeError(`maxCharacters must be a whole number of at least 1, not ${maxCharacters}`);
  }
  return defineTool({
    name: recallToolName,
    description: recallDescription(maxCharacters),
    input: z.strictObject({
      event_id: z
        .string()
        .check(z.trim(), z.minLength(1), z.describe('The event_id that stood on the last line of the result.')),
      offset: z
        .optional(z.int().check(z.minimum(0)))
        .check(z.describe('Where to go on, in characters. 0 when it is left out.')),
    }),
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: (input, context) => recall(input, context, maxCharacters),
  });
}

function recall({ event_id: reference, offset = 0 }: RecallInput, context: ToolContext, limit: number): ToolOutput {
  const resolved = resolveReference(reference, context);
  if (resolved.type === 'unknown') {
    return refusal('unknown_event', `There is no event '${reference}'. Copy the id from the last line of a result.`);
  }
  if (resolved.type === 'ambiguous') {
    const named = resolved.candidates.map(describeEvent).join(', ');
    return refusal('ambiguous_event', `More than one event fits '${reference}'. Name one of: ${named}.`);
  }
  const { event } = resolved;
  const content = originalContent(event);
  if (content === undefined) {
    return refusal(
      'not_recallable',
      `'${reference}' is a ${event.type}; only results, calls and messages are returned.`,
    );
  }
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (offset > 0 && offset >= text.length) {
    return refusal('past_the_end', `The original has ${text.length} characters; offset ${offset} is past its end.`);
  }
  const { start, end } = textRange(text, offset, limit);
  const rest = end < text.length ? ` Go on with offset ${end}.` : '';
  const heading = `Original of ${nameOf(event)}, characters ${start} to ${end} of ${text.length}.${rest}`;
  const images = offset === 0 ? content.filter(({ type }) => type === 'image') : [];
  return {
    content: [{ type: 'text', text: `${heading}\n${text.slice(start, end)}` }, ...images],
    details: { eventId: event.id, from: start, to: end, length: text.length },
  };
}

function originalContent(event: Event): readonly ContentPart[] | undefined {
  if (!isLLMConvertible(event)) return undefined;
  if (isToolResult(event)) return toolResultContent(event);
  switch (event.type) {
    case 'message':
      return messageContent(event);
    case 'action':
      return [
        ...event.thought,
        { type: 'text' as const, text: `${event.toolCall.name}(${event.toolCall.arguments})` },
      ].map(wellFormedPart);
    default:
      return undefined;
  }
}

function nameOf(event: Event): string {
  return isToolResult(event) ? `${addressOf(event.id)} (result of ${event.toolName})` : describeEvent(event);
}

function refusal(code: string, reason: string): ToolOutput {
  return { content: `Rejected. Code: ${code}. ${reason}`, isError: true, details: { code, reason } };
}
