import type { ActionEvent, ContentPart, CreateEvent, ToolOutput } from '@palimpsest/events';
import { untilAborted } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { excerptOf } from './excerpt.js';
import { finishToolName } from './finish-tool.js';
import type { ShownCharacters } from './output-limit.js';
import type { OutputStore } from './output-store.js';
import { readOutputToolName } from './read-output-tool.js';
import { wholeOutput } from './whole-output.js';
import type { WholeOutputEvent } from './whole-output.js';

/** The parameters of {@link limitedOutput}. */
export interface LimitedOutputOptions {
  readonly action: ActionEvent;
  readonly shown: ShownCharacters;
  readonly store: OutputStore | undefined;
  /** Whether the model has {@link readOutputTool}. */
  readonly canRead: boolean;
  readonly createEvent: CreateEvent;
  readonly signal: AbortSignal | undefined;
}

/** An output as the model is shown it. */
export interface LimitedOutput {
  readonly output: Exclude<ToolOutput, string>;
  /** The event with the whole text, appended before the result. Undefined if the output is whole, or a store keeps the rest. */
  readonly whole?: WholeOutputEvent;
}

/** The output of these tools stays whole: one pages by itself, the other is the answer to the user. */
const wholeOutputs: ReadonlySet<string> = new Set([readOutputToolName, finishToolName]);

/**
 * The output as it is logged. Of a text above the limit, the beginning and the end are shown, with a handle of the whole
 * text. The whole text goes to the store. It goes into the log if there is no store, or the store fails
 * (`details.outputStoreError` says why) or has not resolved when the signal is aborted.
 */
export async function limitedOutput(
  output: Exclude<ToolOutput, string>,
  { action, shown, store, canRead, createEvent, signal }: LimitedOutputOptions,
): Promise<LimitedOutput> {
  const toolName = action.toolCall.name;
  if (wholeOutputs.has(toolName)) return { output };
  const parts: readonly ContentPart[] =
    typeof output.content === 'string' ? [{ type: 'text', text: output.content }] : output.content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (text.length <= shown.most) return { output };
  let handle: string | undefined;
  let failure = {};
  try {
    if (store !== undefined) handle = await untilAborted(store.put({ actionId: action.id, toolName, text }), signal);
  } catch (error) {
    failure = { outputStoreError: messageOf(error) };
  }
  const whole = handle === undefined ? wholeOutput(action, text, createEvent) : undefined;
  const outputHandle = handle ?? whole?.id ?? '';
  const { head, tail, left } = excerptOf(text, shown.preview);
  const how = canRead
    ? `${readOutputToolName} with the handle '${outputHandle}' reads all ${text.length}.`
    : `All ${text.length} are kept as '${outputHandle}'; to see others of them, ask for less at a time.`;
  return {
    output: {
      ...output,
      content: [
        { type: 'text', text: `${head}\n[${left} characters are left out here. ${how}]\n${tail}` },
        ...parts.filter(({ type }) => type !== 'text'),
      ],
      details: { ...output.details, ...failure, outputHandle, outputCharacters: text.length },
    },
    whole,
  };
}
