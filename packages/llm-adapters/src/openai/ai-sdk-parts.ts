import { field, textOf } from '../http-failure.js';

// Many hold their history as messages of Vercel's AI SDK, which have the roles of Chat Completions and parts of their own:
// calls and results are parts of the content, and reasoning is too.

/** The calls among the parts of an answer, as Chat Completions has them. */
export function callsInParts(content: unknown): readonly unknown[] {
  return partsOf(content, 'tool-call').map((part) => ({
    id: field(part, 'toolCallId'),
    function: { name: field(part, 'toolName'), arguments: field(part, 'input') ?? field(part, 'args') },
  }));
}

/** A result among the parts of a tool message. */
export interface ResultPart {
  readonly toolCallId: string;
  readonly content: unknown;
}

/** The results among the parts of a tool message; undefined where there are none, or something else is among them. */
export function resultsInParts(content: unknown): readonly ResultPart[] | undefined {
  const parts = partsOf(content, 'tool-result');
  if (parts.length === 0 || parts.length !== (content as readonly unknown[]).length) return undefined;
  const results = parts.flatMap((part): readonly ResultPart[] => {
    const toolCallId = textOf(field(part, 'toolCallId'));
    return toolCallId === undefined ? [] : [{ toolCallId, content: outputOf(part) }];
  });
  return results.length === parts.length ? results : undefined;
}

/** The address of an image that stands in a part as its data; undefined for any other part. */
export function imageInPart(part: unknown): string | undefined {
  const mediaType = textOf(field(part, 'mediaType')) ?? textOf(field(part, 'mimeType'));
  const type = field(part, 'type');
  const isImage = type === 'image' || (['file', 'media'].includes(type as string) && mediaType?.startsWith('image/'));
  const held = field(part, 'image') ?? field(part, 'data');
  const data = held instanceof URL ? held.href : textOf(held);
  if (isImage !== true || data === undefined) return undefined;
  if (/^(?:https?|data):/i.test(data)) return data;
  return mediaType === undefined ? undefined : `data:${mediaType};base64,${data}`;
}

/** Results have been values, and are now values with their kind. */
function outputOf(part: unknown): unknown {
  const output = field(part, 'output');
  const value = output === undefined ? field(part, 'result') : field(output, 'value');
  if (typeof value === 'string' || field(output, 'type') === 'content') return value;
  return JSON.stringify(value ?? null);
}

function partsOf(content: unknown, type: string): readonly unknown[] {
  return Array.isArray(content) ? content.filter((part: unknown) => field(part, 'type') === type) : [];
}
