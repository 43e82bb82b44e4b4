import type { ToolDefinition } from '@palimpsest/events';
import { contentOf, readOpenAIContent, readTool } from '@palimpsest/llm-adapters/wire';
import type { ContentPiece, Piece, ReadMessage, ResultPiece } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from './drafts.js';
import { listOf, objectOf, textOf } from './json.js';
import type { SessionRecorder } from './recorder.js';
import type { Entry, NoteTaker } from './session.js';

/** The place at which a message is recorded. */
export interface RecordingPlace {
  readonly entry: Entry;
  readonly recorder: SessionRecorder;
  /** The reply that an assistant message belongs to. @defaultValue a new reply */
  readonly response?: ResponseDraft | undefined;
  /** Who wrote the text of a user message. @defaultValue the user */
  readonly sourceOf?: (text: string) => 'user' | 'environment';
  /** The tools of the model, for a message that is the system prompt. @defaultValue none */
  readonly tools?: readonly ToolDefinition[];
}

/**
 * Records a message that a reader of `@palimpsest/llm-adapters/wire` returns. Results keep their position within the text. A
 * part without a neutral form is noted and kept in an event. Returns the reply that an assistant message belongs to.
 */
export function recordMessage(message: ReadMessage, place: RecordingPlace): ResponseDraft | undefined {
  const { entry, recorder } = place;
  const { role, pieces } = message;
  if (role === undefined) {
    for (const piece of pieces) {
      if (piece.type !== 'unread') continue;
      if (objectOf(piece.value)['type'] !== undefined) recorder.unread(entry, [piece]);
      else recorder.notes.add('unknown-line-type', `${piece.reason}; it was left out`, entry.line);
    }
    return undefined;
  }
  if (role === 'assistant') {
    const response = place.response ?? recorder.response(entry, message.id);
    for (const piece of pieces) recordOfAnswer(piece, response, place);
    return response;
  }
  if (role === 'system') {
    recorder.instructions(entry, contentOf(pieces), place.tools);
    recorder.unread(entry, pieces);
    return undefined;
  }
  recordOfUser(pieces, place);
  return undefined;
}

function recordOfAnswer(piece: Piece, response: ResponseDraft, { entry, recorder }: RecordingPlace): void {
  switch (piece.type) {
    case 'call':
      recorder.call(response, entry, { ...piece, id: piece.id ?? madeCallId(entry, response) });
      return;
    case 'result':
      recordResult(piece, entry, recorder);
      return;
    case 'reasoning-item': {
      const { summary, content = [], encryptedContent } = piece.item;
      if (summary.length > 0 || content.length > 0 || encryptedContent !== undefined) response.add(piece);
      else recorder.notes.add('reasoning', 'reasoning of which the log kept nothing was left out', entry.line);
      return;
    }
    case 'unread':
      recorder.unread(entry, [piece]);
      return;
    default:
      response.add(piece);
  }
}

function recordOfUser(pieces: readonly Piece[], place: RecordingPlace): void {
  const { entry, recorder, sourceOf = () => 'user' } = place;
  let words: ContentPiece[] = [];
  const addWords = () => {
    const content = contentOf(words);
    const first = content.find((part) => part.type === 'text');
    recorder.message(entry, content, sourceOf(first?.text ?? ''));
    words = [];
  };
  for (const piece of pieces) {
    if (piece.type === 'content') words.push(piece);
    else if (piece.type === 'result') {
      if (words.length > 0) addWords();
      recordResult(piece, entry, recorder);
    } else recorder.unread(entry, [piece]);
  }
  if (words.length > 0 || !pieces.some(({ type }) => type === 'result')) addWords();
}

function recordResult(piece: ResultPiece, entry: Entry, recorder: SessionRecorder): void {
  recorder.unread(entry, piece.content);
  const { toolName, isError } = piece;
  const callId = piece.toolCallId ?? (toolName === undefined ? undefined : recorder.openCallOf(toolName));
  recorder.result(entry, { callId, toolName, content: contentOf(piece.content), isError });
}

/** Returns the id for a call without an id in the log. */
export function madeCallId(entry: Entry, { calls }: ResponseDraft): string {
  return calls.length === 0 ? `call-of-${entry.id}` : `call-of-${entry.id}-${calls.length}`;
}

/** Returns the tools in a log, in the form of any API. A tool that only the provider runs is left out and noted. */
export function toolDefinitions(tools: unknown, notes: NoteTaker): readonly ToolDefinition[] {
  return listOf(tools).flatMap((tool) => {
    const definition = readTool(tool);
    if (definition === undefined) {
      const type = textOf(objectOf(tool)['type']) ?? 'unknown';
      notes.add('unsupported-content', `a tool of type '${type}', which only the provider runs, was left out`);
    }
    return definition ?? [];
  });
}

/** Returns the text parts of a content, joined by line feeds. */
export function plainText(content: unknown): string {
  return contentOf(readOpenAIContent(content, 'content'))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}
