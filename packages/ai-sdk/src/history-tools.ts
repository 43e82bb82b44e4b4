import { field, listOf, textOf } from '@palimpsest/messages';
import type { CondensedHistory } from '@palimpsest/messages';
import type { AiMessage } from './codec.js';

/** A tool of the AI SDK with which the model asks the history: `recall`, `relevance_condenser`. */
export interface HistoryTool {
  readonly description: string;
  /** A Standard Schema with JSON Schema, which `ai` 6 and 7 take. */
  readonly inputSchema: {
    readonly '~standard': {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { readonly value: unknown };
      readonly jsonSchema: {
        readonly input: () => Record<string, unknown>;
        readonly output: () => Record<string, unknown>;
      };
    };
  };
  /** @throws Error with what the model reads, when the call cannot be answered. */
  readonly execute: (
    input: unknown,
    call: { readonly toolCallId: string; readonly messages: readonly AiMessage[] },
  ) => Promise<unknown>;
  /**
   * The form in which the model reads the result of `execute`: text, or parts with the images and files that were
   * recalled.
   */
  readonly toModelOutput: (result: { readonly output: unknown }) => ToolOutput;
}

/** The output of a tool that a model reads: `ToolResultOutput` of the AI SDK. */
export type ToolOutput =
  { readonly type: 'text'; readonly value: string } | { readonly type: 'content'; readonly value: never[] };

/** A function that answers a call that was made after these messages. */
export type AnswerTo = (
  messages: readonly AiMessage[],
  call: AiMessage,
  toolCallId: string,
) => ReturnType<CondensedHistory<AiMessage>['answerTo']>;

/** Returns the tools of a history by their names, as `generateText` takes them. */
export function toolsOfSdk(declared: readonly object[], answerTo: AnswerTo): Readonly<Record<string, HistoryTool>> {
  const tools = listOf(declared).map((tool): readonly [string, HistoryTool] => {
    const toolName = textOf(field(tool, 'name')) ?? '';
    const json = () => field(tool, 'inputSchema') as Record<string, unknown>;
    return [
      toolName,
      {
        description: textOf(field(tool, 'description')) ?? '',
        inputSchema: {
          '~standard': {
            version: 1,
            vendor: 'palimpsest',
            // The history checks the input when it runs the call.
            validate: (value) => ({ value }),
            jsonSchema: { input: json, output: json },
          },
        },
        execute: async (input, { toolCallId, messages }) => {
          const content = [{ type: 'tool-call', toolCallId, toolName, input }];
          const call = { role: 'assistant', content };
          const answer = await answerTo(messages, call, toolCallId);
          if (answer?.isError !== false) throw new Error(answer?.text ?? `The history knows no call ${toolCallId}.`);
          return answer.content;
        },
        toModelOutput: ({ output }) =>
          typeof output === 'string' ? { type: 'text', value: output } : (output as ToolOutput),
      },
    ];
  });
  return Object.fromEntries(tools);
}
