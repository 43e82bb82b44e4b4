import { createEvent, hostFilesOf } from '@palimpsest/events';
import type { Condensation, ContentPart, Event, ToolResultEvent } from '@palimpsest/events';
import type { Piece } from '@palimpsest/llm-adapters/wire';
import { condensation, condenseUntilSettled, cutProtected, isCondensation } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, View } from '@palimpsest/view';
import type { Codec } from '../codecs/codec.js';
import { loadedTools } from '../codecs/deferred-tools.js';
import type { FitOptions } from '../fit.js';
import { loggedMessage } from '../log/history-log.js';
import type { HistoryLog } from '../log/history-log.js';
import type { Model } from '../model.js';
import { hardReset } from './hard-reset.js';
import { cutResults } from './large-results.js';

/** A view that takes more of a window that has overflowed is not condensed enough, and what a hard reset leaves of it. */
const fullShare = 0.75;
const targetShare = 0.5;
/** The share of the window to which protected words are cut. They stay for good, so they leave room for what comes. */
const protectedShare = 0.25;

/** Reserved for an answer of which the longest is not known. Unit: tokens. */
const usualAnswer = 4_096;

/** The parts that make room in a log, and the sizes to reach. Unit of all numbers: tokens, as the view estimates. */
export interface RoomOptions {
  readonly condenser: Condenser;
  readonly condenserTimeoutMs: number | undefined;
  readonly context: CondenseContext;
  /** The window in which the provider has refused this list. */
  readonly refused: number | undefined;
  /** A person's request to condense. */
  readonly request?: { readonly focus: string | undefined } | undefined;
  /** The window of which an earlier refusal told. */
  readonly told: number | undefined;
  /** True if the model has the tool that reads what is hidden. */
  readonly canRecall: boolean;
}

/** Makes room in a log, and keeps what was done for it. */
export class Room {
  readonly condensations: Condensation[] = [];
  readonly reports: AttemptReport[] = [];
  readonly #log: HistoryLog;
  readonly #options: RoomOptions;
  #view: View;

  constructor(log: HistoryLog, options: RoomOptions) {
    this.#log = log;
    this.#options = options;
    this.#view = log.view;
  }

  /** The view that is sent. */
  get view(): View {
    return this.#view;
  }

  /** Cuts results that are larger than the window, then asks the condenser. @throws what the condenser throws. */
  async condense(): Promise<void> {
    const { condenser, condenserTimeoutMs, context, refused, request } = this.#options;
    this.#cut();
    if (refused !== undefined) this.#append(createEvent('condensation-request', { reason: 'the window overflowed' }));
    else if (request !== undefined) {
      const { focus } = request;
      const fields = { reason: 'the host asked', ...(focus === undefined ? {} : { focus }) };
      this.#append(createEvent('condensation-request', fields));
    }
    const log = this.#log;
    const kept = {
      get view() {
        return log.view;
      },
      append: (event: Event) => this.#append(event),
    };
    const report = (one: AttemptReport) => void this.reports.push(one);
    this.#view = await condenseUntilSettled(condenser, kept, { ...context, report, condenserTimeoutMs });
  }

  /** Resets the log where it is still too large after a refusal, then cuts what is protected. What a provider has refused before, it refuses again. */
  reset(): void {
    const { refused, told, canRecall } = this.#options;
    const window = refused ?? told;
    const full = refused === undefined ? told : refused * fullShare;
    if (window === undefined || full === undefined || this.#view.tokens() <= full) return;
    const target = window * targetShare;
    const made = hardReset(this.#log.view, target, { canRecall });
    if (made !== undefined) this.#append(made);
    if (this.#view.tokens() <= full) return;
    const cut = cutProtected(this.#log.view, window * protectedShare);
    if (cut !== undefined) this.#append(cut);
  }

  #cut(): void {
    const { context, canRecall } = this.#options;
    const { contextWindow: window, fixedTokens = 0, maxOutputTokens } = context;
    if (window === undefined) return;
    const answer = maxOutputTokens ?? Math.min(usualAnswer, window / 8);
    const room = Math.max(window / 8, window - fixedTokens - answer);
    const { view } = this.#log;
    if (view.tokens() <= room) return;
    // What files weigh is an estimate, and the provider has refused nothing yet.
    const sizeOf = (event: ToolResultEvent) =>
      hostFilesOf(event).reduce((size, { tokens }) => size - tokens, view.tokensOf(event));
    const redactions = cutResults(view, { least: room, room, canRecall, sizeOf }).map(({ redaction }) => redaction);
    if (redactions.length === 0) return;
    const reason = `${redactions.length} results were larger than the window of ${window} tokens`;
    this.reports.push({ outcome: 'cut', reason });
    this.#append(condensation({ view, redactions, metadata: { condenser: 'messages', reason: 'large-result' } }));
  }

  #append(event: Event): void {
    this.#log.append(event);
    if (isCondensation(event)) this.condensations.push(event);
    this.#view = this.#log.view;
  }
}

/**
 * Returns the size of what is sent beside the view: the tools that the provider loads, and the tail. The instructions
 * are an event of the log, so they are a part of the view. Unit: tokens, as the view estimates.
 */
export function fixedTokens(
  { tools, tail = [], fixedTokens: others = 0 }: FitOptions,
  codec: Codec,
  { estimateTokens, maxPages }: Pick<Model, 'estimateTokens' | 'maxPages'>,
): number {
  const loaded = loadedTools(tools) ?? [];
  const ofTools =
    loaded.length === 0
      ? 0
      : estimateTokens(createEvent('system-prompt', { id: 'tools', systemPrompt: jsonOf(loaded) }));
  return tail.reduce<number>((sum, message) => {
    const content = loggedMessage(codec.read(message), maxPages).pieces.flatMap(partsIn);
    return sum + estimateTokens(createEvent('message', { source: 'environment', role: 'user', content }));
  }, ofTools + others);
}

function partsIn(piece: Piece): readonly ContentPart[] {
  switch (piece.type) {
    case 'content':
      return [piece.part];
    case 'result':
      return piece.content.flatMap(partsIn);
    case 'call':
      return [{ type: 'text', text: piece.arguments }];
    default:
      return [];
  }
}

/** Returns the JSON of a value. What cannot be written as JSON is no part of a request. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
