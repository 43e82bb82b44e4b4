import { field, isRecord, listOf, readChatMessage, textOf } from '@palimpsest/llm-adapters/wire';
import type { Codec, MessageChanges } from './codec.js';
import { changedContent, chatContent, isUnchanged, markedContent, marksIn, unmarked } from './parts.js';
import { withPreambles } from './preambles.js';

/** A message of Chat Completions, of any version of the SDK. */
export interface ChatMessageLike {
  readonly role: string;
}

/** A tool as Chat Completions declares it. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** Options of {@link chatMessages}. */
export interface ChatMessagesOptions {
  /**
   * The server wants user and assistant to alternate: neighbouring messages of the user become one where a summary stands beside
   * the user's words. @defaultValue false
   */
  readonly alternates?: boolean | undefined;
}

/** Returns the codec of Chat Completions, as the SDK `openai` and compatible servers hold them. */
export function chatMessages(options: ChatMessagesOptions = {}): Codec<ChatMessageLike, ChatTool> {
  const codec: Codec<ChatMessageLike, ChatTool> = {
    name: 'chat',
    returnsNewPieces: true,
    mergesAnswers: false,
    read: (message) => withPreambles(readChatMessage(message)),
    summary: (text) => ({ role: 'user', content: text }) as ChatMessageLike,
    changed: (message, changes) => {
      switch (message.role) {
        case 'assistant':
          return changedAnswer(message, changes);
        case 'tool':
        case 'function':
          return changedResult(message, changes);
        default:
          if (changes.words === undefined) return message;
          return changes.words === 'left-out'
            ? undefined
            : withFields(message, { content: chatContent(changes.words, 'user') });
      }
    },
    extracted,
    marks: (message) => marksIn(field(message, 'content')),
    marked: (message, mark) => {
      const content = markedContent(field(message, 'content'), mark);
      return content === undefined ? undefined : withFields(message, { content });
    },
    // The API itself takes text alone there; servers whose results held images take them again.
    result: ({ text, images, files, stoodInResult }) =>
      stoodInResult
        ? [{ type: 'text', text }, ...images.map(({ url }) => ({ type: 'image_url', image_url: { url } })), ...files]
        : text,
    tool: ({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }),
  };
  return options.alternates === true ? { ...codec, arranged: alternating } : codec;
}

function changedAnswer(message: ChatMessageLike, changes: MessageChanges): ChatMessageLike | undefined {
  const listed = listOf(field(message, 'tool_calls'));
  const legacy = field(message, 'function_call') ?? undefined;
  const calls = [...listed.map(idOf), ...(legacy === undefined ? [] : [''])];
  if (isUnchanged(changes, { calls, results: [] })) return message;
  const kept = listed.flatMap((call) => changedCall(call, changes, idOf(call)));
  const [keptLegacy] = legacy === undefined ? [] : changedCall(legacy, changes, '');
  const content =
    changes.words === undefined
      ? field(message, 'content')
      : changes.words === 'left-out'
        ? null
        : chatContent(changes.words, 'tool');
  const hasWords = content !== null && content !== undefined && content !== '';
  if (kept.length === 0 && keptLegacy === undefined && !hasWords) return undefined;
  const {
    tool_calls: _calls,
    function_call: _legacy,
    ...rest
  } = message as unknown as Readonly<Record<string, unknown>>;
  return {
    ...rest,
    content,
    ...(kept.length === 0 ? {} : { tool_calls: kept }),
    ...(keptLegacy === undefined ? {} : { function_call: keptLegacy }),
  } as unknown as ChatMessageLike;
}

function changedCall(call: unknown, changes: MessageChanges, id: string): unknown[] {
  const change = changes.calls?.get(id);
  if (change === undefined || !isRecord(call)) return [call];
  if (change === 'left-out') return [];
  const { function: called, custom } = call;
  if (isRecord(called)) return [{ ...call, function: { ...called, arguments: change.arguments } }];
  if (isRecord(custom)) return [{ ...call, custom: { ...custom, input: change.arguments } }];
  return [{ ...call, arguments: change.arguments }];
}

function changedResult(message: ChatMessageLike, changes: MessageChanges): ChatMessageLike | undefined {
  const change = changes.results?.get(textOf(field(message, 'tool_call_id')) ?? '');
  if (change === undefined) return message;
  if (change === 'left-out') return undefined;
  return withFields(message, {
    content: changedContent(field(message, 'content'), change, (content) => chatContent(content, 'tool')),
  });
}

function extracted(message: ChatMessageLike, id: string, as: string): ChatMessageLike | undefined {
  if (message.role !== 'assistant') {
    const isNamed = (textOf(field(message, 'tool_call_id')) ?? '') === id && message.role !== 'user';
    const content = unmarked(field(message, 'content'));
    return isNamed ? withFields(message, { content, ...(id === '' ? {} : { tool_call_id: as }) }) : undefined;
  }
  const call = listOf(field(message, 'tool_calls')).findLast((one) => idOf(one) === id);
  const {
    tool_calls: _calls,
    function_call: legacy,
    ...rest
  } = message as Readonly<Record<string, unknown>> & typeof message;
  if (isRecord(call)) return { ...rest, content: null, tool_calls: [{ ...call, id: as }] } as ChatMessageLike;
  return id === '' && isRecord(legacy)
    ? ({ ...rest, content: null, function_call: legacy } as ChatMessageLike)
    : undefined;
}

function alternating(messages: readonly ChatMessageLike[]): readonly ChatMessageLike[] {
  const result: ChatMessageLike[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const both = last === undefined ? undefined : joined(last, message);
    if (both === undefined) result.push(message);
    else result[result.length - 1] = both;
  }
  return result;
}

function joined(first: ChatMessageLike, second: ChatMessageLike): ChatMessageLike | undefined {
  if (field(first, 'role') !== 'user' || field(second, 'role') !== 'user') return undefined;
  const contents = [first, second].map((message) => field(message, 'content'));
  if (contents.every((content) => typeof content === 'string'))
    return withFields(second, { content: contents.join('\n\n') });
  const parts = contents.flatMap((content) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content),
  );
  return withFields(second, { content: parts });
}

function idOf(call: unknown): string {
  return textOf(field(call, 'id')) ?? '';
}

function withFields(message: ChatMessageLike, fields: object): ChatMessageLike {
  return { ...message, ...fields };
}
