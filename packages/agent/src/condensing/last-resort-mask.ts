import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, LLMConvertibleEvent, Redaction, ToolResultEvent } from '@palimpsest/events';
import { excerptOf } from '../tools/excerpt.js';
import { readOutputToolName } from '../tools/read-output-tool.js';

/** How the last resort masks a text. */
export interface MaskOptions {
  /** How much of the beginning and the end stays. Unit: characters. */
  readonly excerpt: number;
  /** Whether the model has a tool that reads the whole text. */
  readonly canRead: boolean;
}

/** Shorter texts in arguments stay: paths, names, short commands. Unit: characters. */
const shortArgument = 200;

/** Masks a result or the arguments of a call. Undefined for any other event: messages can be forgotten, but not masked. */
export function maskOf(event: LLMConvertibleEvent, options: MaskOptions): Redaction | undefined {
  if (event.type === 'action') return { eventId: event.id, arguments: maskedArguments(event, options) };
  return isToolResult(event) ? { eventId: event.id, text: maskedResult(event, options) } : undefined;
}

function maskedResult(event: ToolResultEvent, options: MaskOptions): string {
  let text = '';
  let images = 0;
  for (const part of toolResultContent(event)) {
    if (part.type === 'text') text += (text === '' ? '' : '\n') + part.text;
    else images++;
  }
  const lost = images === 0 ? '' : ` and ${images} ${images === 1 ? 'image' : 'images'}`;
  // The text of an event that is already redacted is a stub, and no part of the output.
  const excerpt = event.redacted === true ? 0 : options.excerpt;
  return shortened(text, { ...options, excerpt, lost, handle: handleOf(event) });
}

/** The handle of the whole text. An output that was shown in part has its own handle. */
function handleOf(event: ToolResultEvent): string {
  const handle = event.type === 'observation' ? event.details?.['outputHandle'] : undefined;
  return typeof handle === 'string' ? handle : event.id;
}

/** JSON of an object, because some providers accept nothing else: the same keys with shorter texts, or one note. */
function maskedArguments({ id, toolCall: { arguments: text }, redacted }: ActionEvent, options: MaskOptions): string {
  const excerpt = redacted === true ? 0 : options.excerpt;
  const shorten = (long: string): string => shortened(long, { ...options, excerpt, lost: '', handle: id });
  const most = Math.max(4 * shortArgument, 2 * excerpt);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const short = JSON.stringify(value, (_, item: unknown) =>
        typeof item === 'string' && item.length > shortArgument ? shorten(item) : item,
      );
      if (short.length <= most) return short;
    }
  } catch {
    // The arguments are not JSON, or nested too deep.
  }
  return JSON.stringify({ removed: shorten(text) });
}

function shortened(
  text: string,
  {
    excerpt,
    canRead,
    lost,
    handle,
  }: MaskOptions & {
    readonly lost: string;
    readonly handle: string;
  },
): string {
  const { head, tail, left } = excerptOf(text, excerpt);
  const how = canRead ? ` ${readOutputToolName} with the handle '${handle}' reads them.` : '';
  const note = `[${left} characters${lost} were removed here, because the history did not fit into the window.${how}]`;
  return [head, note, tail].filter((part) => part !== '').join('\n');
}
