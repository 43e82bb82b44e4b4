import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, LLMConvertibleEvent, Redaction, ToolResultEvent } from '@palimpsest/events';
import { excerptOf } from '../tools/excerpt.js';
import { readOutputToolName } from '../tools/read-output-tool.js';

/** What a mask of the last resort leaves. */
export interface MaskOptions {
  /** How much of the text stays, of its beginning and its end. Unit: characters. */
  readonly excerpt: number;
  /** Whether the model has the tool that reads the whole text. */
  readonly canRead: boolean;
}

/** Texts in arguments that are not longer stay: paths, names, short commands. Unit: characters. */
const shortArgument = 200;

/** The mask of a result or of a call's arguments. Undefined for anything else: words cannot be masked, only forgotten. */
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
  // A stub that somebody has written says what it replaces; its own text is no part of the output.
  const excerpt = event.redacted === true ? 0 : options.excerpt;
  return shortened(text, { ...options, excerpt, lost, handle: handleOf(event) });
}

/** Where the whole text can be read: of an output that was shown in part, not of the part. */
function handleOf(event: ToolResultEvent): string {
  const handle = event.type === 'observation' ? event.details?.['outputHandle'] : undefined;
  return typeof handle === 'string' ? handle : event.id;
}

/** An object, because some providers take nothing else: the same keys with shorter texts, or else a note in its place. */
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
    // No JSON, or nested too deep: the note says all.
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
