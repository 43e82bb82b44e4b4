import { field, isRecord, textOf, withPreambles } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';
import { imageUrl, isOf, partKinds, partsOf, providerField } from './message-parts.js';
import type { Piece } from './message-parts.js';

/** Reads a message of the AI SDK: a ModelMessage, or a message of a `LanguageModelV3Prompt` or `LanguageModelV4Prompt`. */
export function readMessage(message: unknown): HostMessage {
  const role = field(message, 'role');
  const content = field(message, 'content');
  const parts = partsOf(content);
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    return { pieces: [{ type: 'unread', path: '', reason: 'not a message of the AI SDK', value: message }] };
  }
  if (typeof content !== 'string' && !Array.isArray(content)) {
    const piece: Piece = {
      type: 'unread',
      path: 'content',
      reason: 'content is neither text nor parts',
      value: content,
    };
    return { role: role === 'tool' ? 'user' : role, pieces: [piece] };
  }
  const kinds = partKinds(role, parts);
  const pieces = parts.flatMap((part, index): readonly Piece[] => {
    const path = `content.${index}`;
    switch (kinds[index]) {
      case 'thinking':
        return [thinkingIn(part)];
      case 'call':
        return [callIn(part, path)];
      case 'result':
        return [resultIn(part, path)];
      case 'approval':
        // No model sees it: it is the SDK's own.
        return [];
      default:
        return wordsIn(part, path);
    }
  });
  const host: HostMessage = {
    role: role === 'tool' ? 'user' : role,
    pieces,
    ...pairOf(role, parts),
    ...(parts.some(isCompaction) ? { isBarrier: true, replacesBefore: true } : {}),
  };
  return withPreambles(host);
}

/** Text, an image, or whatever is opaque, with a text that says what it is. */
function wordsIn(part: unknown, path: string): readonly Extract<Piece, { type: 'content' | 'unread' }>[] {
  const type = typeof part === 'string' ? 'text' : textOf(field(part, 'type'));
  const text = typeof part === 'string' ? part : field(part, 'text');
  const opaque = (reason: string, shown = `(${reason}.)`) =>
    [
      { type: 'unread', path, reason, value: part },
      { type: 'content', part: { type: 'text', text: shown }, isStandIn: true },
    ] as const;
  if (isCompaction(part)) return opaque('A compaction of the provider', textOf(text));
  if (type === 'text' && typeof text === 'string') {
    return text === '' ? [] : [{ type: 'content', part: { type: 'text', text } }];
  }
  const url = imageUrl(part);
  if (url !== undefined) return [{ type: 'content', part: { type: 'image', url } }];
  const name = textOf(field(part, 'toolName')) ?? 'a tool';
  switch (type) {
    case 'tool-call':
      return opaque(`The provider runs ${name}`, `(${name}: ${jsonOf(field(part, 'input'))})`);
    case 'tool-result':
      return opaque(`The provider ran ${name}`, `(${name}: ${textsOf(outputContent(part, path)).join('\n')})`);
    case 'tool-approval-response':
      return opaque(field(part, 'approved') === true ? 'The call was approved' : 'The call was not approved');
    case 'file':
    case 'file-data':
    case 'file-url':
      return opaque(
        `A file: ${textOf(field(part, 'filename')) ?? textOf(field(part, 'mediaType')) ?? 'without a name'}`,
      );
    default:
      return opaque(`A part of the type ${type ?? typeof part}`);
  }
}

function thinkingIn(part: unknown): Piece {
  const text = field(part, 'text');
  const thinking = typeof text === 'string' ? text : '';
  const data = providerField(part, 'redactedData');
  if (data !== undefined) return { type: 'thinking', block: { type: 'redacted-thinking', data } };
  const signature = providerField(part, 'signature');
  if (signature !== undefined) return { type: 'thinking', block: { type: 'thinking', thinking, signature } };
  const encryptedContent = providerField(part, 'reasoningEncryptedContent');
  const id = providerField(part, 'itemId');
  if (id === undefined && encryptedContent === undefined) return { type: 'reasoning-text', text: thinking };
  const fields = {
    ...(id === undefined ? {} : { id }),
    ...(encryptedContent === undefined ? {} : { encryptedContent }),
  };
  return { type: 'reasoning-item', item: { summary: thinking === '' ? [] : [thinking], ...fields } };
}

function callIn(part: unknown, path: string): Piece {
  const input = field(part, 'input') ?? field(part, 'args');
  const id = textOf(field(part, 'toolCallId'));
  const name = textOf(field(part, 'toolName'));
  return {
    type: 'call',
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    arguments: typeof input === 'string' ? input : jsonOf(input ?? {}),
    path,
    value: part,
  };
}

function resultIn(part: unknown, path: string): Piece {
  const toolCallId = textOf(field(part, 'toolCallId'));
  const toolName = textOf(field(part, 'toolName'));
  return {
    type: 'result',
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolName === undefined ? {} : { toolName }),
    content: outputContent(part, path),
    isError: textOf(field(field(part, 'output'), 'type'))?.startsWith('error-') === true,
    path,
    value: part,
  };
}

/** Returns the content of a result, in each of the forms of an output. */
function outputContent(part: unknown, path: string) {
  const output = field(part, 'output');
  const value = field(output, 'value') ?? field(part, 'result');
  switch (field(output, 'type')) {
    case 'content':
      return partsOf(value).flatMap((one, index) => wordsIn(one, `${path}.output.value.${index}`));
    case 'execution-denied':
      return wordsIn(deniedText(output), path);
    default:
      return wordsIn(typeof value === 'string' ? value : jsonOf(value ?? null), path);
  }
}

/** Returns the text that the AI SDK sends for a call that the user has refused. */
export function deniedText(output: unknown): string {
  return textOf(field(output, 'reason')) ?? 'Tool call execution denied.';
}

/** Returns a value as JSON text. A value that has none is named by its type. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `(${typeof value})`;
  }
}

/** The texts among the pieces. */
function textsOf(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => (piece.type === 'content' && piece.part.type === 'text' ? [piece.part.text] : []));
}

/**
 * A request for approval goes with its answer, and a call of the provider with a result in a later message. A provider refuses
 * one without the other.
 */
function pairOf(role: string, parts: readonly unknown[]): Pick<HostMessage, 'pair' | 'isOpen'> {
  const isAnswer = role === 'assistant';
  const idsOf = (type: string) => parts.filter(isOf(type)).flatMap((part) => textOf(field(part, 'toolCallId')) ?? []);
  const [calls, results] = isAnswer ? [idsOf('tool-call'), idsOf('tool-result')] : [[], []];
  const own = parts.filter((part) => isOf('tool-call')(part) && field(part, 'providerExecuted') === true);
  const ids = own.flatMap((part) => textOf(field(part, 'toolCallId')) ?? []);
  const open = isAnswer ? ids.filter((id) => !results.includes(id)) : [];
  const late = results.filter((id) => !calls.includes(id));
  const approvals = parts.flatMap((part) => textOf(field(part, 'approvalId')) ?? []);
  const pair = [...approvals.map((id) => `approval ${id}`), ...[...open, ...late].map((id) => `call ${id}`)];
  const isOpen = open.length > 0 || parts.some(isOf('tool-approval-request'));
  return pair.length === 0 ? {} : { pair, ...(isOpen ? { isOpen } : {}) };
}

function isCompaction(part: unknown): boolean {
  const kind = textOf(field(part, 'kind'));
  if (field(part, 'type') === 'custom' && kind?.endsWith('.compaction') === true) return true;
  return isRecord(part) && providerField(part, 'type') === 'compaction';
}
