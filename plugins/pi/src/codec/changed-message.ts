import { field, isRecord, listOf, textOf } from '@palimpsest/messages';
import type { CallChange, MessageChanges, ResultChange } from '@palimpsest/messages';
import type { PiMessage } from './pi-message.js';
import { imageUrl, isSent, isSigned, partsOf } from './read-message.js';

type Content = Exclude<MessageChanges['words'], 'left-out' | undefined>;

/** Returns a copy of a message with changes; the message itself if no change concerns it, undefined if nothing is left of it. */
export function changedMessage(message: PiMessage, changes: MessageChanges): PiMessage | undefined {
  switch (message.role) {
    case 'toolResult':
      return changedResult(message, changes.results?.get(textOf(field(message, 'toolCallId')) ?? ''));
    case 'assistant':
      return isSent(message) && Array.isArray(field(message, 'content')) ? changedAnswer(message, changes) : message;
    default:
      return changedWords(message, changes.words);
  }
}

/** Returns a message with one call or result of a message and nothing else, under another id. Undefined if there is none. */
export function extractedMessage(message: PiMessage, id: string, as: string): PiMessage | undefined {
  if (message.role === 'toolResult') {
    return (textOf(field(message, 'toolCallId')) ?? '') === id ? withFields(message, { toolCallId: as }) : undefined;
  }
  if (message.role !== 'assistant' || !isSent(message)) return undefined;
  const call = listOf(field(message, 'content')).findLast(
    (part) => field(part, 'type') === 'toolCall' && (textOf(field(part, 'id')) ?? '') === id,
  );
  // By the id of the answer a provider would know the original.
  return isRecord(call) ? withFields(message, { content: [{ ...call, id: as }], responseId: undefined }) : undefined;
}

/** Returns content as parts of pi. What a part of the host holds already is that part, with its fields. */
export function partsFrom(content: Content, originals: readonly unknown[] = []): readonly unknown[] {
  return content.map((piece) => {
    const original = originals.find((part) =>
      piece.type === 'text' ? field(part, 'text') === piece.text : imageUrl(part) === piece.url,
    );
    return original ?? (piece.type === 'text' ? { type: 'text', text: piece.text } : imageFrom(piece.url));
  });
}

/** pi holds images as data alone. */
function imageFrom(url: string): object {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return data === undefined
    ? { type: 'text', text: `(An image: ${url.slice(0, 60)})` }
    : { type: 'image', data, mimeType };
}

function changedResult(message: PiMessage, change: ResultChange | undefined): PiMessage | undefined {
  if (change === undefined) return message;
  if (change === 'left-out') return undefined;
  const own = partsOf(field(message, 'content'));
  const shown = change.content === undefined ? own : partsFrom(change.content, own);
  return withFields(message, { content: change.line === undefined ? shown : withLine(shown, change.line) });
}

function withLine(parts: readonly unknown[], line: string): readonly unknown[] {
  const last = parts.at(-1);
  const words = field(last, 'type') === 'text' ? textOf(field(last, 'text')) : undefined;
  if (!isRecord(last) || words === undefined)
    return [...parts.filter((part) => field(part, 'text') !== ''), { type: 'text', text: line }];
  return [...parts.slice(0, -1), { ...last, text: `${words}\n${line}` }];
}

function changedAnswer(message: PiMessage, { thinking, words, calls }: MessageChanges): PiMessage | undefined {
  const parts = listOf(field(message, 'content'));
  const isWord = (part: unknown) => field(part, 'type') !== 'thinking' && field(part, 'type') !== 'toolCall';
  const firstWord = parts.findIndex(isWord);
  const changed = parts.flatMap((part, index): readonly unknown[] => {
    if (field(part, 'type') === 'thinking') return thinking === 'left-out' && isSigned(message, part) ? [] : [part];
    if (!isWord(part)) return changedCall(part, calls?.get(textOf(field(part, 'id')) ?? ''));
    if (words === undefined) return [part];
    return words !== 'left-out' && index === firstWord ? partsFrom(words, parts) : [];
  });
  const isMissing = words !== undefined && words !== 'left-out' && firstWord === -1;
  const content = isMissing ? [...partsFrom(words), ...changed] : changed;
  if (content.length === parts.length && content.every((part, index) => part === parts[index])) return message;
  return content.some(isSubstance) ? withFields(message, { content }) : undefined;
}

function changedCall(part: unknown, change: CallChange | undefined): readonly unknown[] {
  if (change === undefined || !isRecord(part)) return [part];
  return change === 'left-out' ? [] : [{ ...part, arguments: parsedArguments(change.arguments) }];
}

/** A call of pi has an object for arguments. */
function parsedArguments(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (isRecord(value) && !Array.isArray(value)) return value;
  } catch {
    // The text of the model, as it is.
  }
  return { input: json };
}

/** Words of the user and of pi. A summary or a command whose text changes becomes a message that pi sends as it is. */
function changedWords(message: PiMessage, words: MessageChanges['words']): PiMessage | undefined {
  if (words === undefined) return message;
  if (words === 'left-out') return undefined;
  const content = partsFrom(words, partsOf(field(message, 'content')));
  if (message.role === 'user' || message.role === 'custom') return withFields(message, { content });
  const timestamp = field(message, 'timestamp') ?? 0;
  const copy = { role: 'custom', customType: 'palimpsest', content, display: false, timestamp };
  return copy;
}

/** Returns true if a part makes a message that a provider accepts. */
function isSubstance(part: unknown): boolean {
  const words = field(part, 'text');
  return field(part, 'type') !== 'thinking' && !(typeof words === 'string' && words.trim() === '');
}

function withFields(message: PiMessage, fields: object): PiMessage {
  return { ...message, ...fields };
}
