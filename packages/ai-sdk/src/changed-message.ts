import { field, isRecord, textOf } from '@palimpsest/messages';
import type { CallChange, MessageChanges, ResultChange } from '@palimpsest/messages';
import { unmarked } from './cache-marks.js';
import { imageUrl, isOf, isSigned, partKinds, partsOf } from './message-parts.js';
import type { Part, PartKind } from './message-parts.js';
import { deniedText, jsonOf } from './read-message.js';

type Content = Exclude<MessageChanges['words'], 'left-out' | undefined>;

/**
 * Returns a copy of a message with changes; the message itself if no change concerns it, undefined if nothing is left
 * of it.
 */
export function changedMessage<Message extends { readonly role: string }>(
  message: Message,
  changes: MessageChanges,
): Message | undefined {
  const content = field(message, 'content');
  const parts = partsOf(content);
  const kinds = partKinds(message.role, parts);
  const changed = changedParts(parts, kinds, changes);
  if (changed.length === parts.length && changed.every((part, index) => part === parts[index])) return message;
  const left = partKinds(message.role, changed);
  if (!changed.some((part, index) => isSubstance(part, left[index]))) return undefined;
  // The SDK takes a system message's content as text only.
  const isText = message.role === 'system';
  return {
    ...message,
    content: isText ? changed.map((part) => textOf(field(part, 'text')) ?? '').join('\n\n') : changed,
  };
}

/**
 * Returns a message with one call or result of a message and nothing else, under another id. Undefined if there is
 * none.
 */
export function extractedMessage<Message extends { readonly role: string }>(
  message: Message,
  id: string,
  as: string,
): Message | undefined {
  const parts = partsOf(field(message, 'content'));
  const kinds = partKinds(message.role, parts);
  const part = parts.findLast(
    (one, index) =>
      (kinds[index] === 'call' || kinds[index] === 'result') && (textOf(field(one, 'toolCallId')) ?? '') === id,
  );
  if (!isRecord(part)) return undefined;
  return unmarked({ ...message, content: [unmarked({ ...part, ...ownOptions(part), toolCallId: as })] });
}

/** Returns true if a part makes a message that a provider accepts. */
function isSubstance(part: unknown, kind: PartKind | undefined): boolean {
  return kind !== 'thinking' && kind !== 'approval' && !(isOf('text')(part) && field(part, 'text') === '');
}

function changedParts(parts: readonly unknown[], kinds: readonly PartKind[], changes: MessageChanges): unknown[] {
  const { calls, results, thinking, words } = changes;
  const changeOf = (part: unknown) => calls?.get(textOf(field(part, 'toolCallId')) ?? '');
  const changed = parts.flatMap((part, index): readonly unknown[] => {
    switch (kinds[index]) {
      case 'thinking':
        return thinking === 'left-out' && isSigned(part) ? [] : [part];
      case 'call':
        return changedCall(part, changeOf(part));
      case 'approval':
        return changeOf(part) === 'left-out' ? [] : [part];
      case 'result':
        return changedResult(part, results?.get(textOf(field(part, 'toolCallId')) ?? ''));
      default:
        if (words === undefined) return [part];
        return words !== 'left-out' && index === kinds.indexOf('words') ? withOriginals(words, parts) : [];
    }
  });
  const isMissing = words !== undefined && words !== 'left-out' && !kinds.includes('words');
  return isMissing ? [...withOriginals(words, []), ...changed] : changed;
}

function changedCall(part: unknown, change: CallChange | undefined): unknown[] {
  if (change === undefined || !isRecord(part)) return [part];
  if (change === 'left-out') return [];
  return [{ ...part, input: parsed(change.arguments), ...ownOptions(part) }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { input: text };
  }
}

/** Without the ids of stored items: by its id a provider would put the original in the place of the copy. */
function ownOptions(part: Part): object {
  const options = part['providerOptions'];
  if (!isRecord(options)) return {};
  const entries = Object.entries(options).map(([provider, own]) => {
    if (!isRecord(own) || !('itemId' in own)) return [provider, own] as const;
    const { itemId: _itemId, ...rest } = own;
    return [provider, rest] as const;
  });
  return { providerOptions: Object.fromEntries(entries) };
}

function changedResult(part: unknown, change: ResultChange | undefined): unknown[] {
  if (change === undefined || !isRecord(part)) return [part];
  return change === 'left-out' ? [] : [{ ...part, output: changedOutput(part['output'] ?? part['result'], change) }];
}

function changedOutput(output: unknown, { content, line }: Exclude<ResultChange, 'left-out'>): object {
  const kind = textOf(field(output, 'type'));
  const isError = kind?.startsWith('error-') === true;
  const options = isRecord(output) && 'providerOptions' in output ? { providerOptions: output['providerOptions'] } : {};
  const parts =
    content !== undefined
      ? withOriginals(content, kind === 'content' ? partsOf(field(output, 'value')) : [])
      : kind === 'content'
        ? partsOf(field(output, 'value'))
        : [{ type: 'text', text: textIn(output, kind) }];
  const shown = line === undefined ? parts : withLine(parts, line);
  if (isError || (kind !== 'content' && shown.every(isOf('text')))) {
    const texts = shown.map((one) => textOf(field(one, 'text')) ?? '').filter((text) => text !== '');
    return { ...options, type: isError ? 'error-text' : 'text', value: texts.join('\n') };
  }
  return { ...options, type: 'content', value: shown };
}

function textIn(output: unknown, kind: string | undefined): string {
  if (kind === 'execution-denied') return deniedText(output);
  const value = kind === undefined ? output : field(output, 'value');
  return typeof value === 'string' ? value : jsonOf(value ?? null);
}

function withLine(parts: readonly unknown[], line: string): readonly unknown[] {
  const last = parts.at(-1);
  const text = isOf('text')(last) ? textOf(field(last, 'text')) : undefined;
  if (!isRecord(last) || text === undefined)
    return [...parts.filter((part) => field(part, 'text') !== ''), { type: 'text', text: line }];
  return [...parts.slice(0, -1), { ...last, text: `${text}\n${line}` }];
}

/** Content as parts. What a part of the host holds already is that part, with its options. */
function withOriginals(content: Content, originals: readonly unknown[]): readonly unknown[] {
  return content.map((piece) => {
    const original = originals.find((part) =>
      piece.type === 'text' ? isOf('text')(part) && field(part, 'text') === piece.text : imageUrl(part) === piece.url,
    );
    return (
      original ?? { type: 'text', text: piece.type === 'text' ? piece.text : `(An image: ${piece.url.slice(0, 60)})` }
    );
  });
}
