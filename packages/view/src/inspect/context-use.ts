import { addressOf, estimateTextTokens, isToolResult, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, ContentPart, EventId, LLMConvertibleEvent, MessageEvent } from '@palimpsest/events';
import { sentThinking } from './sent-thinking.js';
import type { View } from '../view.js';

/**
 * The kind of a part of a view. `context`: text of the framework that is neither a skill nor a note. `notes`: what
 * stands in the place of a masked result or masked arguments. `not-sent`: events of the stored list, and thinking, that
 * no request holds.
 */
export type ContextKind =
  | 'instructions'
  | 'tools'
  | 'context'
  | 'skills'
  | 'user'
  | 'model'
  | 'thinking'
  | 'calls'
  | 'results'
  | 'summaries'
  | 'notes'
  | 'not-sent';

/** All of one kind; of results, all of one tool. */
export interface ContextPart {
  readonly kind: ContextKind;
  /** The tool of `results`. */
  readonly toolName?: string;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The number of events that hold some of it. */
  readonly events: number;
}

/** One event of a view, with its size. */
export interface ContextItem {
  readonly eventId: EventId;
  /** By which `recall` and people name the event. */
  readonly address: string;
  /** The kind of its largest part. */
  readonly kind: ContextKind;
  /** The tool that was called, or that answered. */
  readonly toolName?: string;
  /** The index in `view.events`. */
  readonly index: number;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The size of the part that is sent. */
  readonly sentTokens: number;
}

/** Options of {@link contextUse}. Unit of the sizes: tokens, as the view estimates. */
export interface ContextUseOptions {
  /** The size of what is sent beside the view, such as tools that its system prompt does not hold. @defaultValue 0 */
  readonly besideTokens?: number | undefined;
  /** The largest size of a request. @defaultValue unknown */
  readonly contextWindow?: number | undefined;
  /** The size at which the condenser acts in any case. @defaultValue unknown */
  readonly threshold?: number | undefined;
  /** The number of the largest events that are named. @defaultValue 10 */
  readonly largest?: number | undefined;
  /** The kind of a message or a result, where the host knows it better. @defaultValue as the event itself says */
  readonly kindOf?: ((event: LLMConvertibleEvent) => ContextKind | undefined) | undefined;
  /** The thinking that is sent, as {@link sentThinking} finds it. @defaultValue all that is rendered in the view's own mode */
  readonly thinking?: ReadonlyMap<EventId, readonly string[]> | undefined;
}

/** The content of a model's window. Unit: tokens, as the view estimates. */
export interface ContextUse {
  /** The size of the view: the sum of all `parts`. */
  readonly tokens: number;
  /** The size of the part that is sent: without the part `not-sent`. */
  readonly sentTokens: number;
  readonly besideTokens: number;
  /** By kind, the largest first. */
  readonly parts: readonly ContextPart[];
  /** The largest events, by what is sent of them, the largest first. */
  readonly largest: readonly ContextItem[];
  /**
   * The size that is left until the condenser acts in any case; negative if it is overdue. Undefined if the threshold
   * is not known.
   */
  readonly untilThreshold?: number;
  /** The size that is left of the window; negative if the view does not fit. Undefined if the window is not known. */
  readonly untilWindow?: number;
}

/**
 * Returns the content of the window of the model that reads a view: its tokens by kind, the largest events, and how
 * much is free. For the view that a condenser returned (`preview: true`) it is what the next request holds. Cost: one
 * pass over the view.
 *
 * @example
 * ```ts
 * const { tokens, parts } = contextUse(view, { contextWindow: 200_000 });
 * for (const { kind, tokens: size } of parts) console.log(kind, `${Math.round((100 * size) / tokens)} %`);
 * ```
 */
export function contextUse(view: View, options: ContextUseOptions = {}): ContextUse {
  const { besideTokens = 0, contextWindow, threshold, largest = 10, kindOf, thinking = sentThinking(view) } = options;
  const parts = new Map<string, ContextPart>();
  const items: ContextItem[] = [];
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    const tokens = view.tokens(index, index + 1);
    const shares = view.leftOut.has(event.id)
      ? [{ kind: 'not-sent', tokens } as const]
      : sharesOf(event, tokens, { kind: kindOf?.(event), thinking: thinking.get(event.id) });
    for (const share of shares) {
      const toolName = share.kind === 'results' ? toolOf(event) : undefined;
      const key = keyOf(share.kind, toolName);
      const before = parts.get(key);
      parts.set(key, {
        kind: share.kind,
        ...(toolName === undefined ? {} : { toolName }),
        tokens: (before?.tokens ?? 0) + share.tokens,
        events: (before?.events ?? 0) + 1,
      });
    }
    const [main] = shares.toSorted((a, b) => b.tokens - a.tokens);
    const toolName = toolOf(event);
    items.push({
      eventId: event.id,
      address: addressOf(event.id),
      kind: main?.kind ?? 'context',
      ...(toolName === undefined ? {} : { toolName }),
      index,
      tokens,
      sentTokens: shares.reduce((sum, share) => sum + (share.kind === 'not-sent' ? 0 : share.tokens), 0),
    });
  }
  const tokens = view.tokens();
  const sentTokens = tokens - (parts.get(keyOf('not-sent'))?.tokens ?? 0);
  return {
    tokens,
    sentTokens,
    besideTokens,
    parts: [...parts.values()].sort((a, b) => b.tokens - a.tokens),
    largest: items.sort((a, b) => b.sentTokens - a.sentTokens || a.index - b.index).slice(0, largest),
    ...(threshold === undefined ? {} : { untilThreshold: threshold - tokens - besideTokens }),
    ...(contextWindow === undefined ? {} : { untilWindow: contextWindow - sentTokens - besideTokens }),
  };
}

function keyOf(kind: ContextKind, toolName = ''): string {
  return `${kind} ${toolName}`;
}

/** The known facts of an event beside itself. */
interface Known {
  readonly kind: ContextKind | undefined;
  /** The thinking of it that is sent. */
  readonly thinking: readonly string[] | undefined;
}

interface Share {
  readonly kind: ContextKind;
  readonly tokens: number;
}

/** Divides the size of an event among the kinds that it holds. The shares add up to the size, whoever has estimated it. */
function sharesOf(event: LLMConvertibleEvent, tokens: number, known: Known): readonly Share[] {
  const kind = known.kind ?? kindOfEvent(event);
  const others = besideKind(event, known.thinking).filter((share) => share.kind !== kind && share.tokens > 0);
  if (others.length === 0) return [{ kind, tokens }];
  const rest = mainTokens(event);
  const all = others.reduce((sum, share) => sum + share.tokens, rest);
  const shares = others.map((share) => ({ kind: share.kind, tokens: Math.floor((tokens * share.tokens) / all) }));
  const main = tokens - shares.reduce((sum, share) => sum + share.tokens, 0);
  return [{ kind, tokens: main }, ...shares];
}

/** Returns the purpose of an event, where nothing else is stated. */
function kindOfEvent(event: LLMConvertibleEvent): ContextKind {
  if (isToolResult(event)) return event.redacted === true ? 'notes' : 'results';
  switch (event.type) {
    case 'system-prompt':
      return 'instructions';
    case 'action':
      return event.redacted === true ? 'notes' : 'calls';
    case 'condensation-summary':
      return 'summaries';
    case 'message':
      if (isUserMessage(event)) return 'user';
      if (event.role === 'assistant') return 'model';
      return (event.activatedSkills?.length ?? 0) > 0 && event.content.length === 0 ? 'skills' : 'context';
  }
}

/** Returns the kinds of what an event holds beside its own purpose. */
function besideKind(event: LLMConvertibleEvent, thinking: readonly string[] | undefined): readonly Share[] {
  switch (event.type) {
    case 'system-prompt':
      return [{ kind: 'tools', tokens: event.tools === undefined ? 0 : sizeOf(JSON.stringify(event.tools)) }];
    case 'action':
      return [{ kind: 'model', tokens: sizeOfParts(event.thought) }, ...thinkingShares(event, thinking)];
    case 'message':
      return [...thinkingShares(event, thinking), { kind: 'skills', tokens: sizeOfParts(event.extendedContent) }];
    default:
      return [];
  }
}

/** The size of what an event is for. */
function mainTokens(event: LLMConvertibleEvent): number {
  switch (event.type) {
    case 'system-prompt':
      return sizeOf(event.systemPrompt) + sizeOf(event.dynamicContext ?? '');
    case 'action':
      return sizeOf(event.toolCall.name) + sizeOf(event.toolCall.arguments);
    case 'message':
      return sizeOfParts(event.content);
    default:
      return 0;
  }
}

/** The thinking of an event that is sent, and that which is not. */
function thinkingShares(
  { reasoningContent = '', thinkingBlocks = [] }: ActionEvent | MessageEvent,
  sent: readonly string[] = [],
): readonly Share[] {
  const blocks = thinkingBlocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const all = sumOf([reasoningContent, ...blocks]);
  const tokens = Math.min(all, sumOf(sent));
  return [
    { kind: 'thinking', tokens },
    { kind: 'not-sent', tokens: all - tokens },
  ];
}

function sumOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + sizeOf(text), 0);
}

function sizeOfParts(parts: readonly ContentPart[] = []): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? sizeOf(part.text) : 0), 0);
}

function sizeOf(text: string): number {
  return text === '' ? 0 : estimateTextTokens(text);
}

function toolOf(event: LLMConvertibleEvent): string | undefined {
  if (event.type === 'action') return event.toolCall.name;
  return isToolResult(event) ? event.toolName : undefined;
}
