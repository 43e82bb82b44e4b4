import { field, isRecord, listOf, textOf } from '../../wire/json-fields.js';
import { readOpenAIContent } from '../content.js';
import { customToolArguments, notAMessage, receivedArguments, standIn, stateOf, textPiece } from '../../wire/pieces.js';
import type { CallPiece, Piece, ReadMessage, ResultPiece, ThinkingPiece } from '../../wire/pieces.js';
import { signatureOn } from './writer.js';

/**
 * Reads a message of Chat Completions, as a request or a response of any server holds it, or of libraries that use the
 * same roles with other fields: LangChain (instances of `BaseMessage` too, `name` and `args` beside each other), the AI
 * SDK (`tool-call`, `tool-result` and `reasoning` as parts), and calls of before 2024 (`function_call`, answered by the
 * function's name).
 */
export function readChatMessage(message: unknown): ReadMessage {
  const role: unknown = field(message, 'role') ?? roleByType(message);
  const content = field(message, 'content');
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', pieces: readOpenAIContent(content, 'content') };
    case 'user':
      return { role, sender: textOf(field(message, 'name')), pieces: readOpenAIContent(content, 'content') };
    case 'assistant':
      return { role, pieces: answerPieces(message) };
    case 'tool':
    case 'function':
      return { role: 'user', pieces: resultPieces(message) };
    default:
      return notAMessage(message, typeof role === 'string' ? `no message has the role '${role}'` : 'not a message');
  }
}

/** Returns the role of an instance of LangChain's `BaseMessage`, which has no field for it. */
function roleByType(message: unknown): string | undefined {
  const getType = field(message, 'getType');
  if (typeof getType !== 'function') return undefined;
  try {
    return rolesByType[String((getType as () => unknown).call(message))];
  } catch {
    return undefined;
  }
}

const rolesByType: Readonly<Record<string, string | undefined>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  developer: 'developer',
  tool: 'tool',
  function: 'function',
};

/** The AI SDK's calls and reasoning, and Mistral's thinking, which are parts of an answer's content. */
const notWords = ['tool-call', 'reasoning', 'thinking'];
/** Calls of Anthropic, which LangChain keeps beside those that it has read. */
const readCalls = ['tool_use', 'input_json_delta'];
const notWordsBesideCalls = [...notWords, ...readCalls];

/**
 * Thinking, text, calls: the order in which an answer is written. The wire keeps them in separate fields and gives no
 * order.
 */
function answerPieces(message: unknown): readonly Piece[] {
  const content = field(message, 'content');
  const refusal = textOf(field(message, 'refusal'));
  const thinking = thinkingIn(message);
  const pieces: Piece[] = thinking === undefined ? [] : [{ type: 'reasoning-text', text: thinking }];
  const hasCalls = listOf(field(message, 'tool_calls')).length > 0;
  pieces.push(...readOpenAIContent(content, 'content', hasCalls ? notWordsBesideCalls : notWords));
  if (refusal !== undefined) pieces.push({ ...textPiece(refusal), isRefusal: true });
  const audio = field(message, 'audio') ?? undefined;
  if (audio !== undefined) {
    pieces.push({ type: 'unread', path: 'audio', reason: 'Audio is not kept here', value: audio });
    pieces.push(standIn(textOf(field(audio, 'transcript')) ?? '(Audio is not kept here.)'));
  }
  for (const path of notSentBack) {
    const value = listOf(field(message, path));
    if (value.length > 0) pieces.push({ type: 'unread', path, reason: 'it is not sent back', value });
  }
  const listed = field(message, 'tool_calls');
  if (Array.isArray(listed)) {
    for (const [index, call] of listed.entries()) pieces.push(...readCall(call, `tool_calls.${index}`));
  } else {
    for (const [index, part] of listOf(content).entries()) {
      if (field(part, 'type') === 'tool-call') pieces.push(...readCall(partAsCall(part), `content.${index}`, part));
    }
  }
  const legacy = field(message, 'function_call') ?? undefined;
  if (legacy !== undefined) pieces.push(...readCall({ function: legacy }, 'function_call', legacy));
  return pieces;
}

const notSentBack = ['reasoning_details', 'annotations'];

/** Returns a call of a function, or of a custom tool, whose input is free text. */
function readCall(call: unknown, path: string, value = call): readonly (CallPiece | ThinkingPiece)[] {
  const custom = field(call, 'custom');
  // LangChain and tau2 have a call's fields side by side; Inspect has the name in the place of the function.
  const inner = field(call, 'function');
  const called = isRecord(inner) ? inner : (custom ?? call);
  const given = field(called, 'arguments') ?? field(called, 'args');
  const input = field(called, 'input');
  const isCustom = given === undefined && input !== undefined;
  return [
    ...signatureOn(call),
    {
      type: 'call',
      id: textOf(field(call, 'id')),
      name: textOf(field(called, 'name')) ?? textOf(inner),
      arguments: isCustom ? customToolArguments(input) : receivedArguments(given),
      // The object around a free text is ours, so it says nothing about the text.
      state: isCustom ? 'parsed' : stateOf(given),
      path,
      value,
    },
  ];
}

function partAsCall(part: unknown): unknown {
  const called = { name: field(part, 'toolName'), arguments: field(part, 'input') ?? field(part, 'args') };
  return { id: field(part, 'toolCallId'), function: called };
}

function resultPieces(message: unknown): readonly ResultPiece[] {
  const content = field(message, 'content');
  const toolCallId = textOf(field(message, 'tool_call_id'));
  const parts = listOf(content);
  if (toolCallId === undefined && parts.length > 0 && parts.every((part) => field(part, 'type') === 'tool-result')) {
    return parts.map((part, index) => partAsResult(part, `content.${index}`));
  }
  return [
    {
      type: 'result',
      toolCallId,
      toolName: textOf(field(message, 'name')),
      content: readOpenAIContent(content, 'content'),
      isError:
        field(message, 'is_error') === true ||
        field(message, 'status') === 'error' ||
        isRecord(field(message, 'error')),
      path: '',
      value: message,
    },
  ];
}

/** Older versions of the AI SDK have plain values as results, newer ones have values with a `type`. */
function partAsResult(part: unknown, path: string): ResultPiece {
  const output = field(part, 'output');
  const kind = textOf(field(output, 'type'));
  const value = output === undefined ? field(part, 'result') : field(output, 'value');
  const content = typeof value === 'string' || kind === 'content' ? value : JSON.stringify(value ?? null);
  return {
    type: 'result',
    toolCallId: textOf(field(part, 'toolCallId')),
    toolName: textOf(field(part, 'toolName')),
    content: readOpenAIContent(content, `${path}.output.value`),
    isError: kind?.startsWith('error-') === true,
    path,
    value: part,
  };
}

/**
 * The field names under which servers send thinking. Servers that migrate from one name to the other send both, with the same
 * text.
 */
const thinkingFields = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** Returns the thinking of an answer or of a chunk: in a separate field, or as parts of the content. */
export function thinkingIn(message: unknown): string | undefined {
  const named = thinkingFields.map((name) => textOf(field(message, name))).find((text) => text !== undefined);
  if (named !== undefined) return named;
  const thoughts = listOf(field(message, 'content')).flatMap((part) =>
    field(part, 'type') === 'reasoning' ? (textOf(field(part, 'text')) ?? []) : textsIn(field(part, 'thinking')),
  );
  return thoughts.length === 0 ? undefined : thoughts.join('');
}

/** Returns the texts in the content of an answer or of a chunk: the content itself, or its parts (Mistral). */
export function textsIn(content: unknown): readonly string[] {
  return readOpenAIContent(content, '', notWords).flatMap((piece) =>
    piece.type === 'content' && piece.part.type === 'text' && piece.isStandIn !== true ? [piece.part.text] : [],
  );
}
