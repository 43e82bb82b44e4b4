import type {
  ActionEvent,
  ContentPart,
  CustomKind,
  Event,
  EventId,
  MessageEvent,
  ThinkingBlock,
  ToolResultEvent,
} from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import type { View } from '../view.js';
import { ViewProjection } from '../view-projection.js';
import type { FeatureCounts, LogFeature } from './log-features.js';
import { addFeatureCounts } from './log-features.js';
import type { Random } from './random.js';

/** As a newer version would name it: any text. Where one of ours stands a package's own may stand too. */
const unknownKinds = ['sketch', 'acme/sketch'] as readonly CustomKind[];
const vocabulary = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi'.split(' ');

/** A call that the writer made. `serial` counts the model responses. */
export interface WrittenCall {
  readonly action: ActionEvent;
  readonly serial: number;
  result: ToolResultEvent | undefined;
}

/**
 * Writes a random log event by event. It keeps the view of the log, so that clean steps cut only at cut points, and counts the
 * features that it writes.
 */
export class LogWriter {
  readonly random: Random;
  readonly calls: WrittenCall[] = [];
  /** The response whose events may still come, and how many there were before. */
  response: { readonly id: string; readonly serial: number } = { id: 'none', serial: 0 };
  /** If true, a newer version writes the log: some events have kinds that this version does not know. */
  isNewer = false;
  readonly #builder: LogBuilder;
  readonly #projection = new ViewProjection({ thinking: 'latest-turn' });
  readonly #counts: Record<LogFeature, number> = { ...addFeatureCounts([]) };
  readonly #idPrefix: string;
  #responseIds: readonly string[] = [];
  /** Decides which texts contain half of a surrogate pair. A separate generator, so that the rest of the log stays the same. */
  readonly #halves: Random | undefined;
  #written = 0;
  #texts = 0;

  constructor(random: Random, idPrefix: string, { halves }: { readonly halves?: Random | undefined } = {}) {
    this.random = random;
    this.#halves = halves;
    this.#idPrefix = idPrefix;
    this.#builder = logBuilder({ idPrefix });
  }

  get events(): readonly Event[] {
    return this.#builder.events;
  }

  get length(): number {
    return this.#written;
  }

  get counts(): FeatureCounts {
    return { ...this.#counts };
  }

  get view(): View {
    return this.#projection.view;
  }

  count(feature: LogFeature): void {
    this.#counts[feature]++;
  }

  /** Makes an event with the builder's next id, to be given to {@link LogWriter.add}. */
  get create(): LogBuilder['create'] {
    return this.#builder.create;
  }

  add<Added extends Event>(event: Added): Added {
    this.#builder.add(event);
    this.#projection.append(event);
    this.#written++;
    return event;
  }

  /** Text that no other event of the log has. */
  text(words: number = this.random.between(2, 30)): string {
    const body = Array.from({ length: words }, () => this.random.pick(vocabulary)).join(' ');
    return this.damaged(`${this.#idPrefix}text-${++this.#texts} ${body}`);
  }

  /** The text, sometimes with half of a surrogate pair somewhere in it. */
  damaged(text: string): string {
    const halves = this.#halves;
    if (halves?.chance(0.1) !== true) return text;
    this.count('half a surrogate pair');
    const place = halves.between(0, text.length);
    const half = halves.pick(['\ud83d', '\ude00', '\ude00\ud83d', '\ud83d😀']) ?? '\ud83d';
    return text.slice(0, place) + half + text.slice(place);
  }

  /** A kind that this version does not know, in a log of a newer one; nearly always undefined. */
  unknownKind(feature: LogFeature): CustomKind | undefined {
    if (!this.isNewer || !this.random.chance(0.12)) return undefined;
    this.count(feature);
    return this.random.pick(unknownKinds);
  }

  content(): readonly ContentPart[] {
    const text: ContentPart = { type: 'text', text: this.text() };
    if (!this.random.chance(0.04)) return this.#withUnknown(text);
    this.count('image');
    const url = this.damaged(`https://example.invalid/${this.#idPrefix}${this.#texts}.png`);
    return [text, { type: 'image', url }];
  }

  #withUnknown(text: ContentPart): readonly ContentPart[] {
    const type = this.unknownKind('unknown part');
    if (type === undefined) return [text];
    const part: ContentPart = { type, data: this.text(2) };
    return this.random.pick([[part], [part, text], [text, part]]) ?? [part];
  }

  /** Sometimes thinking blocks: signed, or opaque. */
  thinking(probability: number): { readonly thinkingBlocks?: readonly ThinkingBlock[] } {
    if (!this.random.chance(probability)) return {};
    this.count('thinking');
    const thinking = this.text(3);
    if (!thinking.isWellFormed()) this.count('half a pair in signed thinking');
    const type = this.unknownKind('unknown thinking');
    if (type !== undefined) {
      const block: ThinkingBlock = { type: 'thinking', thinking, signature: `signed ${thinking}` };
      return { thinkingBlocks: [...(this.random.chance(0.5) ? [block] : []), { type, data: thinking }] };
    }
    if (this.random.chance(0.15)) return { thinkingBlocks: [{ type: 'redacted-thinking', data: thinking }] };
    return { thinkingBlocks: [{ type: 'thinking', thinking, signature: `signed ${thinking}` }] };
  }

  words(source: 'user' | 'environment'): MessageEvent {
    return this.add(
      this.create('message', {
        source: this.unknownKind('unknown source') ?? source,
        role: this.unknownKind('unknown role') ?? 'user',
        content: this.content(),
      }),
    );
  }

  /** From now on all responses have one of a few ids, as some servers do. */
  useFewResponseIds(count: number): void {
    this.count('few response ids for all');
    this.#responseIds = Array.from({ length: count }, (_, index) => `${this.#idPrefix}few-${index + 1}`);
  }

  /** Starts a model response, with a new id unless one is given. */
  startResponse(id?: string): void {
    const serial = this.response.serial + 1;
    const few = this.#responseIds.length === 0 ? undefined : this.random.pick(this.#responseIds);
    this.response = { id: id ?? few ?? `${this.#idPrefix}response-${serial}`, serial };
  }

  usage(purpose: 'agent' | 'condenser'): void {
    this.count(purpose === 'agent' ? 'usage of the agent' : 'usage of a condenser');
    const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    this.add(this.create('llm-usage', { responseId: this.response.id, model: 'test-model', usage, purpose }));
  }

  /** `thought` and `thinking`: how probable each is. */
  action(options: { readonly thinking: number; readonly thought?: number; readonly toolCallId?: string }): WrittenCall {
    const id = options.toolCallId ?? `${this.#idPrefix}call-${this.calls.length + 1}`;
    const name = this.damaged(this.random.pick(['read', 'run', 'search']) ?? 'read');
    const action = this.create('action', {
      thought: this.random.chance(options.thought ?? 0.4)
        ? this.#withUnknown({ type: 'text', text: this.text(5) })
        : [],
      toolCall: { id, name, arguments: this.#arguments() },
      llmResponseId: this.response.id,
      ...this.thinking(options.thinking),
    });
    this.#countSameId(action);
    const call: WrittenCall = { action: this.add(action), serial: this.response.serial, result: undefined };
    this.calls.push(call);
    return call;
  }

  /** JSON escapes halves; some models write them as they are. */
  #arguments(): string {
    const json = JSON.stringify({ [this.damaged('input')]: [this.text()] });
    if (!/\\ud[89a-f]/.test(json)) return json;
    if (this.#halves?.chance(0.3) === true) return json.replaceAll(/\\u(d[89a-f]..)/g, (_, hex: string) => unitOf(hex));
    this.count('half a pair escaped in arguments');
    return json;
  }

  /** A result for a call id, of one of the three kinds. */
  result(toolCallId: string, toolName: string): ToolResultEvent {
    const kind = this.random.below(10);
    if (kind < 2) this.count('failed call');
    if (kind === 0) return this.add(this.create('agent-error', { toolCallId, toolName, error: this.text() }));
    if (kind === 1) {
      return this.add(this.create('user-reject-observation', { toolCallId, toolName, rejectionReason: this.text() }));
    }
    const content = this.random.chance(0.05) ? [] : this.content();
    return this.add(this.create('observation', { toolCallId, toolName, content }));
  }

  answer(call: WrittenCall): void {
    call.result = this.result(call.action.toolCall.id, call.action.toolCall.name);
  }

  assistantWords(options: { readonly thinking: number; readonly blank?: boolean }): MessageEvent {
    return this.add(
      this.create('message', {
        source: 'agent',
        role: 'assistant',
        content: options.blank === true ? [] : this.content(),
        llmResponseId: this.response.id,
        ...this.thinking(options.thinking),
      }),
    );
  }

  /** Counts what is between an action and the event before it of the same response id. */
  #countSameId(action: ActionEvent): void {
    const { llmResponseId } = action;
    const last = this.events.findLastIndex(
      (event) => event.type === 'action' || (event.type === 'message' && event.role === 'assistant'),
    );
    const newest = this.events[last];
    if (newest?.type !== 'action' || newest.llmResponseId !== llmResponseId) return;
    const between = this.events.slice(last + 1);
    const spoken = between.some((event) => event.type === 'message' && event.source === 'user');
    const called = between.some((event) => event.type === 'llm-usage' && event.purpose === 'agent');
    const hasWords = action.thought.length > 0 || action.thinkingBlocks !== undefined;
    if (this.calls.some((call) => call.result === undefined && call.action.llmResponseId === llmResponseId)) {
      if (spoken || called) this.count('same id while a call waits');
      return;
    }
    if (spoken) this.count('same id after the user spoke');
    if (called) this.count('same id after usage');
    if (hasWords) this.count('same id with words of its own');
    if (!spoken && !called && !hasWords) this.count('same response behind a result');
  }

  /** The id of some event of the log. */
  someId(events: Iterable<Event> = this.events): EventId | undefined {
    return this.random.pick([...events])?.id;
  }
}

function unitOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
