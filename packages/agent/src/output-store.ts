import { defineTool } from '@palimpsest/events';
import type { ContentPart, EventId, Tool, ToolOutput } from '@palimpsest/events';
import { z } from 'zod';
import { abortable } from './abortable.js';
import { messageOf } from './errors.js';
import { finishToolName } from './finish-tool.js';

/** Where tool output goes that is too long for the log's readers. Implementations: files, in `@palimpsest/agent/node`. */
export interface OutputStore {
  /** Keeps a text for good and returns the handle by which it is found again. */
  put(output: { readonly actionId: EventId; readonly toolName: string; readonly text: string }): Promise<string>;
  /** The whole text; undefined where there is none by this handle. Handles are data, whoever wrote them. */
  get(handle: string): Promise<string | undefined>;
}

/** Output that is kept elsewhere, and how much of it the model is shown. */
export interface OutputLimit {
  readonly store: OutputStore;
  /** A longer text goes to the store. Unit: characters. @defaultValue 30000 */
  readonly maxCharacters?: number;
  /** How much of it stays in the observation. Unit: characters. @defaultValue 4000 */
  readonly previewCharacters?: number;
}

/** The name of the tool that {@link readOutputTool} makes. */
export const readOutputToolName = 'read_output';

const defaultMaxCharacters = 30_000;
const defaultPreviewCharacters = 4_000;

/** Output of these stays whole: the one has been kept already, the other is what the user reads. */
const wholeOutput: ReadonlySet<string> = new Set([readOutputToolName, finishToolName]);

/**
 * The output as it goes into the log: a text over the limit is stored, and a preview with its handle stands in its place. A
 * store that fails, or is not done when the signal is aborted, leaves the output whole and says so in
 * `details.outputStoreError`, so that nothing is lost.
 */
export async function limitedOutput(
  output: Exclude<ToolOutput, string>,
  call: { readonly actionId: EventId; readonly toolName: string },
  limit: OutputLimit | undefined,
  signal?: AbortSignal,
): Promise<Exclude<ToolOutput, string>> {
  if (limit === undefined || wholeOutput.has(call.toolName)) return output;
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (text.length <= (limit.maxCharacters ?? defaultMaxCharacters)) return output;
  try {
    const handle = await abortable(limit.store.put({ ...call, text }), signal);
    const shown = Math.min(limit.previewCharacters ?? defaultPreviewCharacters, text.length);
    const preview = previewOf(text, handle, shown);
    return {
      ...output,
      content: [{ type: 'text', text: preview }, ...parts.filter(({ type }) => type !== 'text')],
      details: { ...output.details, outputHandle: handle, outputCharacters: text.length },
    };
  } catch (error) {
    return { ...output, details: { ...output.details, outputStoreError: messageOf(error) } };
  }
}

/** The same for the words of a tool that failed, which can hold a whole log too. */
export async function limitedText(
  text: string,
  call: { readonly actionId: EventId; readonly toolName: string },
  limit: OutputLimit | undefined,
  signal?: AbortSignal,
): Promise<string> {
  const { content } = await limitedOutput({ content: text }, call, limit, signal);
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Two thirds from the beginning, the rest from the end, where commands say how they ended. */
function previewOf(text: string, handle: string, characters: number): string {
  const head = wholeCharacters(text.slice(0, Math.ceil((characters * 2) / 3)));
  const tail = wholeCharacters(text.slice(text.length - Math.floor(characters / 3)));
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters are left out here. ${readOutputToolName} with the handle '${handle}' reads all ${text.length}.]\n${tail}`;
}

/** A cut may not leave half of a character that takes two code units. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

const input = z.object({
  handle: z.string().min(1).describe('As it stands in the shortened output.'),
  offset: z.number().int().min(0).default(0).describe('The first character to read.'),
  length: z.number().int().min(1).max(20_000).default(8_000).describe('How many characters.'),
});

/** The tool with which a model reads stored output, part by part. */
export function readOutputTool(store: OutputStore): Tool<z.infer<typeof input>> {
  return defineTool({
    name: readOutputToolName,
    description: 'Read a part of an output that was too long to be shown whole.',
    input,
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: async ({ handle, offset, length }) => {
      const text = await store.get(handle);
      if (text === undefined) throw new Error(`There is no stored output '${handle}'.`);
      if (offset >= text.length) throw new Error(`It has ${text.length} characters; ${offset} is behind its end.`);
      const part = text.slice(offset, offset + length);
      return `[Characters ${offset} to ${offset + part.length} of ${text.length}]\n${part}`;
    },
  });
}
