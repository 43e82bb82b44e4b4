import { newEventId } from '@palimpsest/events';
import type {
  AssistantMessage,
  ContentPart,
  Message,
  SystemMessage,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '@palimpsest/events';
import type { Completion, CompletionRequest, Delta, LLM } from '../llm.js';
import { llmAround } from '../llm.js';
import { remembering } from '../memo.js';
import { assertOptions, isFunction } from '../options.js';
import { demandFor, instructionsFor } from './instructions.prompt.js';
import { readCalls, StreamedText } from './read-calls.js';

/** Options of {@link textToolCalls}. */
export interface TextToolCallsOptions {
  /** Makes the ids of calls. @defaultValue unique ids */
  readonly newId?: () => string;
}

/** A message becomes the same object at each request, by which adapters remember what it became. */
const written = remembering(writtenMessage);

/**
 * Returns a model without tool calling that calls tools: they are described in the system message, calls are read from the
 * answer's text, and results are sent as text of the user. To its caller it is an {@link LLM} like any other. Of a streamed
 * answer the text before the first call arrives as it is written. Calls arrive when the answer is complete.
 *
 * @throws {@link InvalidRequestError} when an option is unknown or wrong.
 *
 * @example
 * ```ts
 * const llm = textToolCalls(openaiLLM({ model: 'gemma3', baseURL: 'http://localhost:11434/v1' }));
 * ```
 */
export function textToolCalls(llm: LLM, options: TextToolCallsOptions = {}): LLM {
  assertOptions(options, { newId: isFunction }, 'textToolCalls');
  const { newId = () => `call_${newEventId()}` } = options;
  const asText = (request: CompletionRequest): CompletionRequest => {
    const { tools = [], toolChoice = 'auto', messages, cache, ...rest } = request;
    const [first, ...others] = messages;
    const begins = first?.role === 'system' ? first : undefined;
    const described = tools.length === 0 ? begins : withTools(begins, tools);
    const later = (begins === undefined ? messages : others).map(written);
    const demand = tools.length === 0 || toolChoice === 'auto' ? [] : [userMessage(demandFor(toolChoice))];
    // The places of hints count messages: with one more at the beginning they would be wrong.
    const isShifted = begins === undefined && described !== undefined;
    const hints = isShifted && cache?.key !== undefined ? { key: cache.key } : isShifted ? undefined : cache;
    return {
      ...rest,
      messages: [...(described === undefined ? [] : [described]), ...later, ...demand],
      ...(hints === undefined ? {} : { cache: hints }),
    };
  };
  return llmAround(llm, {
    toRequest: asText,
    complete: async (request) => {
      const { onDelta, tools = [] } = request;
      let stream = new StreamedText();
      const passDelta = (delta: Delta): void => {
        if (delta.type === 'restart') stream = new StreamedText();
        const shown = delta.type === 'text' ? { ...delta, text: stream.add(delta.text) } : delta;
        if (shown.type !== 'text' || shown.text !== '') onDelta?.(shown);
      };
      const completion = await llm.complete({
        ...asText(request),
        ...(onDelta === undefined ? {} : { onDelta: passDelta }),
      });
      const answer = read(completion, tools, newId);
      const whole = textIn(answer.message);
      request.signal?.throwIfAborted();
      const rest = stream.rest(whole);
      if (onDelta !== undefined && rest !== '') onDelta({ type: 'text', text: rest });
      const before = completion.message.toolCalls?.length ?? 0;
      answer.message.toolCalls?.slice(before).forEach(({ id, name, arguments: text }, index) => {
        onDelta?.({ type: 'tool-call', index: before + index, id, name, arguments: text });
      });
      return answer;
    },
  });
}

function withTools(message: SystemMessage | undefined, tools: readonly ToolDefinition[]): Message {
  const part = { type: 'text' as const, text: instructionsFor(tools) };
  return { role: 'system', content: [...(message?.content ?? []), part] };
}

function read(completion: Completion, tools: readonly ToolDefinition[], newId: () => string): Completion {
  const { message, finishReason } = completion;
  const { text, calls } = readCalls(
    textIn(message),
    tools.map(({ name }) => name),
  );
  if (tools.length === 0 || calls.length === 0) return completion;
  const { toolCalls: native = [] } = message;
  const toolCalls = [...native, ...calls.map(({ state: _, ...call }) => ({ id: newId(), ...call }))];
  const nativeStates = native.map((_, index) => completion.callStates?.[index] ?? 'as-written');
  const others = message.content.filter(({ type }) => type !== 'text');
  const content = text.trim() === '' ? others : [{ type: 'text' as const, text }, ...others];
  return {
    ...completion,
    message: { ...message, content, toolCalls },
    callStates: [...nativeStates, ...calls.map(({ state }) => state)],
    finishReason: finishReason === 'stop' ? 'tool-calls' : finishReason,
  };
}

function textIn({ content }: AssistantMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('');
}

function userMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Returns the message with its calls, or its result, as text. Any other message is returned unchanged. */
function writtenMessage(message: Message): Message {
  if (message.role === 'tool') return writtenResult(message);
  return message.role === 'assistant' && message.toolCalls !== undefined ? writtenCalls(message) : message;
}

function writtenCalls({ toolCalls = [], ...message }: AssistantMessage): Message {
  const calls: ContentPart = { type: 'text', text: toolCalls.map(writtenCall).join('\n') };
  return toolCalls.length === 0 ? message : { ...message, content: [...message.content, calls] };
}

function writtenCall({ name, arguments: text }: ToolCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text.trim() === '' ? '{}' : text}}\n</tool_call>`;
}

function writtenResult({ toolName, content, isError }: ToolMessage): Message {
  const begin = `<tool_result tool=${JSON.stringify(toolName)}${isError === true ? ' failed="true"' : ''}>\n`;
  const parts = content.map((part) => (part.type === 'text' ? { ...part, text: contained(String(part.text)) } : part));
  return { role: 'user', content: [text(begin), ...parts, text('\n</tool_result>')] };
}

/** Contains a result, so that it cannot end its own block and go on as the user. */
function contained(words: string): string {
  return words.replaceAll(/<(\/?)tool_result/gi, '<$1tool-result');
}

function text(words: string): ContentPart {
  return { type: 'text', text: words };
}
