import type { Line } from '../output/lines.js';
import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { RetryEvent, StreamEvent } from '../output/stream-event.js';
import type { FileDiff } from '@palimpsest/tools/diff';
import type { LoggedEvent, SessionEvent } from '../session/session-events.js';
import { CondensationProgress, isEmpty } from '../output/condensation-phrases.js';
import { cutOffPhrase, retryPhrase } from '../output/phrases.js';
import { CallItem, CondensationItem } from './step-items.js';
import {
  LiveAnswer,
  answerItem,
  frameworkItem,
  headerItem,
  noticeItem,
  reasoningItem,
  userItem,
} from './message-items.js';
import type { Styles } from './layout.js';
import type { Transcript } from './transcript.js';

/** Options of {@link SessionItems}. */
export interface SessionItemsOptions {
  /** Finds out what a call of an earlier run has changed in a file. */
  readonly diffOf: (action: string) => Promise<FileDiff | undefined>;
  /** Finds out what a condensation changed. */
  readonly condensationLines: (id: string) => Promise<readonly Line[] | undefined>;
  /** Called when an item has changed by itself. */
  readonly changed: () => void;
}

/** Makes items of the transcript of the events of a session. */
export class SessionItems {
  readonly #transcript: Transcript;
  readonly #styles: Styles;
  readonly #calls = new Map<string, CallItem>();
  #live: LiveAnswer;
  readonly #condensationItems = new Map<string, CondensationItem>();
  #progress = new CondensationProgress();
  readonly #options: SessionItemsOptions;

  constructor(transcript: Transcript, styles: Styles, options: SessionItemsOptions) {
    this.#transcript = transcript;
    this.#styles = styles;
    this.#options = options;
    this.#live = new LiveAnswer(transcript, styles);
  }

  /** Another session was opened. */
  opened({ init, history }: Extract<SessionEvent, { readonly type: 'opened' }>): void {
    this.#transcript.clear();
    this.#calls.clear();
    this.#condensationItems.clear();
    this.#progress = new CondensationProgress();
    this.#live.discard();
    this.#transcript.add(headerItem(init, this.#styles));
    for (const logged of history) this.logged(logged);
    for (const call of init.cutOff) this.notice('problem', cutOffPhrase(call));
    for (const note of init.notes) this.notice('info', note);
  }

  /** The log has grown. */
  logged({ event, told }: LoggedEvent): void {
    if (event.type === 'condensation-revert') this.#condensationItems.get(event.condensationId)?.reverted();
    if (isOfModel(event)) this.#live.discard();
    const reasoning = reasoningOf(event);
    if (reasoning !== '') this.#transcript.add(reasoningItem(reasoning, this.#styles));
    for (const each of told) this.#told(each, event);
  }

  /** Shows the change that a call made in a file. */
  changed(action: string, diff: FileDiff): void {
    this.#calls.get(action)?.hasChanged(diff);
  }

  /** A piece of an answer. */
  delta(delta: Delta): void {
    this.#live.add(delta);
  }

  /** Nothing comes any more: what was streamed and never logged stays, and says that it ended here. */
  stopped(): void {
    this.#live.cutOff();
    this.#live = new LiveAnswer(this.#transcript, this.#styles);
  }

  notice(level: 'info' | 'problem', text: string): void {
    this.#transcript.add(noticeItem(text, level, this.#styles));
  }

  #told(told: StreamEvent, event: Event): void {
    switch (told.type) {
      case 'message': {
        const { text, from } = told;
        if (from === 'user') this.#transcript.add(userItem(text, this.#styles));
        else if (from === 'framework') this.#transcript.add(frameworkItem(text, this.#styles));
        else this.#transcript.add(answerItem(text, told.isCutOff === true, this.#styles));
        return;
      }
      case 'tool-call': {
        const { id } = told;
        const item = new CallItem(told, this.#styles, () => void this.#readDiff(id));
        this.#calls.set(told.id, item);
        this.#transcript.add(item);
        return;
      }
      case 'tool-result': {
        if (told.call !== undefined) this.#calls.get(told.call)?.ended(told);
        return;
      }
      case 'condensation': {
        this.#followProgress(told);
        if (event.type !== 'condensation' || isEmpty(told)) return;
        const { id } = event;
        const item: CondensationItem = new CondensationItem({
          condensation: told,
          readLines: () => this.#options.condensationLines(id),
          changed: () => {
            this.#transcript.keepInView(item);
            this.#options.changed();
          },
          styles: this.#styles,
        });
        this.#condensationItems.set(id, item);
        this.#transcript.add(item);
        return;
      }
      case 'condensation-request':
      case 'condensation-attempt':
        return this.#followProgress(told);
      case 'retry':
        return this.retried(told);
      case 'note':
        return this.notice('info', told.text);
      case 'init':
      case 'delta':
      case 'usage':
      case 'result':
        return;
    }
  }

  #followProgress(told: Parameters<CondensationProgress['follow']>[0]): void {
    for (const { level, text } of this.#progress.follow(told)) this.notice(level, text);
  }

  /** The diff of a call of an earlier run is read when somebody looks. */
  async #readDiff(action: string): Promise<void> {
    const item = this.#calls.get(action);
    if (item === undefined || item.hasDiff) return;
    const diff = await this.#options.diffOf(action).catch(() => undefined);
    if (diff === undefined) return;
    item.hasChanged(diff);
    this.#options.changed();
  }

  /** A model call failed, and is tried again. */
  retried(event: RetryEvent): void {
    this.notice('problem', retryPhrase(event));
  }
}

/** Returns true for an answer of the model, in any form. */
function isOfModel(event: Event): boolean {
  return (
    (event.type === 'message' && event.source === 'agent') ||
    event.type === 'action' ||
    event.type === 'broken-response'
  );
}

function reasoningOf(event: Event): string {
  if (event.type !== 'message' && event.type !== 'action') return '';
  const blocks = (event.thinkingBlocks ?? []).flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const whole = blocks.length > 0 ? blocks.join('\n\n') : (event.reasoningContent ?? '');
  return whole.trim();
}
