import type { KnownContent } from '@palimpsest/events';
import { callIds, chatMessage, field, inputItems, isRecord, messageBlocks } from '@palimpsest/llm-adapters/wire';
import type { CacheMark, MessageChanges, ResultChange } from './codec.js';

// What the codecs of the three APIs share. A part is an object of a content list.

const names = { toWire: (name: string) => name };
const ids = () => callIds({ maxLength: Infinity });

/** Returns content as blocks of the Messages API. */
export function anthropicContent(content: readonly KnownContent[]): object[] {
  return [...messageBlocks({ role: 'user', content }, { ids: ids(), names, replaysThinking: true })];
}

/** Returns content of Chat Completions: text, or parts where there is an image. */
export function chatContent(content: readonly KnownContent[], where: 'user' | 'tool'): unknown {
  const dialect = { content: 'parts', emptyContent: 'null', reasoning: 'left-out', thoughtSignatures: false } as const;
  const message =
    where === 'user'
      ? ({ role: 'user', content } as const)
      : ({ role: 'tool', content, toolCallId: '', toolName: '' } as const);
  return chatMessage(message, { ids: ids(), names, dialect }).content;
}

/** Returns the output of a call in the Responses API. */
export function responsesOutput(content: readonly KnownContent[]): unknown {
  const message = { role: 'tool', content, toolCallId: 'call', toolName: 'tool' } as const;
  const reasoningSent = new Set<string>();
  const [item] = inputItems(message, { ids: ids(), names, reasoningSent, withPhases: false });
  return field(item, 'output') ?? '';
}

/** A content with one line more at its end. */
function withLine(content: unknown, line: string, textType = 'text'): unknown {
  if (typeof content === 'string') return content === '' ? line : `${content}\n${line}`;
  if (!Array.isArray(content) || content.length === 0) return line;
  const parts: readonly unknown[] = content;
  const last = parts.at(-1);
  const text = field(last, 'text');
  if (isRecord(last) && field(last, 'type') === textType && typeof text === 'string') {
    return [...parts.slice(0, -1), { ...last, text: `${text}\n${line}` }];
  }
  return [...parts, { type: textType, text: line }];
}

/** Returns the change of a result that is not left out, on its content. */
export function changedContent(
  content: unknown,
  { content: other, line }: Exclude<ResultChange, 'left-out'>,
  write: (content: readonly KnownContent[]) => unknown,
  textType?: string,
): unknown {
  const shown = other === undefined ? content : write(other);
  return line === undefined ? shown : withLine(shown, line, textType);
}

/** Returns true if the changes of a message name nothing. */
export function isUnchanged(changes: MessageChanges, ids: { calls: readonly string[]; results: readonly string[] }) {
  return (
    changes.words === undefined &&
    !ids.calls.some((id) => changes.calls?.has(id)) &&
    !ids.results.some((id) => changes.results?.has(id))
  );
}

/** The fields of a part in which providers look for a mark. */
const markFields = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** Returns the marks of a list of parts, and of those inside results. */
export function marksIn(content: unknown): readonly CacheMark[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((part) => [...marksIn(field(part, 'content')), ...marksOf(part)]);
}

function marksOf(part: unknown): readonly CacheMark[] {
  return markFields.flatMap((name): CacheMark[] => {
    const value = field(part, name) ?? undefined;
    return value === undefined ? [] : [{ value: { [name]: value }, lifeMs: lifeOf(field(value, 'ttl')) }];
  });
}

/** Returns a part, or a content, without marks. */
export function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !(markFields as readonly string[]).includes(name));
  return Object.fromEntries(entries.map(([name, one]) => [name, name === 'content' ? unmarked(one) : one]));
}

const unit: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function lifeOf(ttl: unknown): number {
  const [, count, name = ''] = typeof ttl === 'string' ? (/^(\d+)([smh])$/.exec(ttl) ?? []) : [];
  return count === undefined ? 5 * 60_000 : Number(count) * (unit[name] ?? 0);
}

/** Returns a content with a mark on its last part. Text becomes a part. Undefined if no part can carry a mark. */
export function markedContent(content: unknown, { value }: CacheMark, textType = 'text'): unknown {
  const parts: readonly unknown[] =
    typeof content === 'string' ? [{ type: textType, text: content }] : Array.isArray(content) ? content : [];
  const at = parts.findLastIndex(isMarkable);
  const part = parts[at];
  if (!isRecord(part) || !isRecord(value)) return undefined;
  return parts.map((one, index) => (index === at ? { ...part, ...value } : one));
}

function isMarkable(part: unknown): boolean {
  const type = field(part, 'type');
  const text = field(part, 'text');
  return type !== 'thinking' && type !== 'redacted_thinking' && (text === undefined || text !== '') && isRecord(part);
}
