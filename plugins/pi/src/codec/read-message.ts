import { field, isRecord, listOf, textOf, withPreambles } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';

/** A piece of a message in neutral form. */
export type Piece = HostMessage['pieces'][number];

/** A piece that is neither thinking, call nor result. */
type WordPiece = Extract<Piece, { readonly type: 'content' | 'unread' }>;

/**
 * Reads a message of pi as its model reads it. What pi does not send (an answer that failed or was aborted, a command behind `!!`) has no
 * pieces. A role that is not known is left unread.
 */
export function readMessage(message: unknown): HostMessage {
  switch (field(message, 'role')) {
    case 'user':
      return withPreambles({ role: 'user', pieces: wordsOf(message) });
    case 'assistant':
      return { role: 'assistant', pieces: isSent(message) ? answerOf(message) : [] };
    case 'toolResult':
      return { role: 'user', pieces: [resultOf(message)] };
    case 'bashExecution':
      return { role: 'user', source: 'environment', pieces: isSent(message) ? [text(commandText(message))] : [] };
    case 'custom':
      return { role: 'user', source: 'environment', pieces: wordsOf(message).map(asReminder) };
    case 'compactionSummary':
    case 'branchSummary':
      return {
        role: 'user',
        source: 'environment',
        pieces: [asReminder(text(textOf(field(message, 'summary')) ?? ''))],
      };
    default:
      return { pieces: [{ type: 'unread', path: '', reason: 'not a message of pi', value: message }] };
  }
}

/** Returns false for what pi keeps in its session and never sends. */
export function isSent(message: unknown): boolean {
  const stop = field(message, 'stopReason');
  return stop !== 'error' && stop !== 'aborted' && field(message, 'excludeFromContext') !== true;
}

/** Returns the parts of a content. Text is one part. */
export function partsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

/** Returns the data URL of an image part. Undefined for any other part. */
export function imageUrl(part: unknown): string | undefined {
  const data = textOf(field(part, 'data'));
  if (field(part, 'type') !== 'image' || data === undefined) return undefined;
  return `data:${textOf(field(part, 'mimeType')) ?? 'image/png'};base64,${data}`;
}

/** Returns true for thinking that its provider has signed, so that it is bound to what came before it. */
export function isSigned(message: unknown, part: unknown): boolean {
  return field(part, 'type') === 'thinking' && thinkingOf(message, part).type === 'thinking';
}

function wordsOf(message: unknown): readonly WordPiece[] {
  const content = field(message, 'content');
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return [{ type: 'unread', path: 'content', reason: 'content is neither text nor parts', value: content }];
  }
  return partsOf(content).flatMap((part, index) => wordIn(part, `content.${index}`));
}

function answerOf(message: unknown): readonly Piece[] {
  const content = field(message, 'content');
  if (!Array.isArray(content)) return wordsOf(message);
  return content.flatMap((part: unknown, index): readonly Piece[] => {
    switch (field(part, 'type')) {
      case 'thinking':
        return [thinkingOf(message, part)];
      case 'toolCall':
        return [callOf(part, `content.${index}`)];
      default:
        return wordIn(part, `content.${index}`);
    }
  });
}

function wordIn(part: unknown, path: string): readonly WordPiece[] {
  const type = textOf(field(part, 'type'));
  const words = field(part, 'text');
  if (type === 'text' && typeof words === 'string') return words === '' ? [] : [text(words)];
  const url = imageUrl(part);
  if (url !== undefined) return [{ type: 'content', part: { type: 'image', url } }];
  const reason = `A part of the type ${type ?? typeof part}`;
  return [
    { type: 'unread', path, reason, value: part },
    { type: 'content', part: { type: 'text', text: `(${reason}.)` }, isStandIn: true },
  ];
}

/** Thinking is bound to what came before it with Anthropic's models alone. What the other providers sign or seal may move. */
function thinkingOf(
  message: unknown,
  part: unknown,
): Extract<Piece, { type: 'thinking' | 'reasoning-item' | 'reasoning-text' }> {
  const api = textOf(field(message, 'api')) ?? '';
  const thinking = textOf(field(part, 'thinking')) ?? '';
  const signature = textOf(field(part, 'thinkingSignature'));
  if (signature !== undefined && /^(?:anthropic|bedrock)/.test(api)) {
    return field(part, 'redacted') === true
      ? { type: 'thinking', block: { type: 'redacted-thinking', data: signature } }
      : { type: 'thinking', block: { type: 'thinking', thinking, signature } };
  }
  if (signature !== undefined && api.includes('responses')) {
    const sealed = textOf(field(parsed(signature), 'encrypted_content'));
    return {
      type: 'reasoning-item',
      item: {
        summary: thinking === '' ? [] : [thinking],
        ...(sealed === undefined ? {} : { encryptedContent: sealed }),
      },
    };
  }
  return { type: 'reasoning-text', text: thinking };
}

function callOf(part: unknown, path: string): Piece {
  const [id, name] = [textOf(field(part, 'id')), textOf(field(part, 'name'))];
  return {
    type: 'call',
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    arguments: jsonOf(field(part, 'arguments') ?? {}),
    path,
    value: part,
  };
}

function resultOf(message: unknown): Piece {
  const [toolCallId, toolName] = [textOf(field(message, 'toolCallId')), textOf(field(message, 'toolName'))];
  return {
    type: 'result',
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolName === undefined ? {} : { toolName }),
    content: wordsOf(message),
    isError: field(message, 'isError') === true,
    path: '',
    value: message,
  };
}

/** A command that the user ran with `!`, with what pi says of it. */
function commandText(message: unknown): string {
  const output = textOf(field(message, 'output')) ?? '(no output)';
  const code = field(message, 'exitCode');
  const ending =
    field(message, 'cancelled') === true
      ? 'cancelled'
      : typeof code === 'number' && code !== 0
        ? `exit code ${code}`
        : '';
  return [`$ ${textOf(field(message, 'command')) ?? ''}`, output, ending].filter((line) => line !== '').join('\n');
}

function asReminder(piece: WordPiece): WordPiece {
  return piece.type === 'content' ? { ...piece, isPreamble: true } : piece;
}

function text(words: string): Extract<Piece, { type: 'content' }> {
  return { type: 'content', part: { type: 'text', text: words } };
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `(${typeof value})`;
  }
}

function parsed(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
