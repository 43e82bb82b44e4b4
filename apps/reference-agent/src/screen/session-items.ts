import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { RetryEvent, StreamEvent } from '../output/stream-event.js';
import type { FileDiff } from '../interactive/file-diff.js';
import type { LoggedEvent, SessionEvent } from '../interactive/session-event.js';
import { callPhrase, CondensationProgress, cutOffPhrase, isEmpty, retryPhrase } from '../output/phrases.js';
import { CallItem } from './call-item.js';
import { CondensationItem } from './condensation-item.js';
import { LiveAnswer } from './live-answer.js';
import { LoggedCondensations } from './logged-condensations.js';
import { answerItem, frameworkItem, headerItem, noticeItem, reasoningItem, userItem } from './message-items.js';
import type { Styles } from './styles.js';
import type { Transcript } from './transcript.js';

/** A few words of each event are kept, for the lines of a condensation. Unit: characters. */
const keptWords = 120;

/** Options of {@link SessionItems}. */
export interface SessionItemsOptions {
  /** Finds out what a call of an earlier run has changed in a file. @defaultValue nobody knows */
  readonly diffOf?: (action: string) => Promise<FileDiff | undefined>;
  /** An item has changed by itself. @defaultValue nothing happens */
  readonly changed?: () => void;
}

/** Makes items of the transcript of what a session tells. */
export class SessionItems {
  readonly #transcript: Transcript;
  readonly #styles: Styles;
  readonly #calls = new Map<string, CallItem>();
  /** What each event was, by its id. */
  readonly #words = new Map<string, string>();
  #live: LiveAnswer;

  readonly #condensationItems = new Map<string, CondensationItem>();
  #condensations = new LoggedCondensations();
  #course = new CondensationProgress();
  readonly #diffOf: NonNullable<SessionItemsOptions['diffOf']>;
  readonly #changed: () => void;

  constructor(
    transcript: Transcript,
    styles: Styles,
    { diffOf = async () => undefined, changed = () => undefined }: SessionItemsOptions = {},
  ) {
    this.#diffOf = diffOf;
    this.#changed = changed;
    this.#transcript = transcript;
    this.#styles = styles;
    this.#live = new LiveAnswer(transcript, styles);
  }

  /** Another session was opened. */
  opened({ init, history }: Extract<SessionEvent, { readonly type: 'opened' }>): void {
    this.#transcript.clear();
    this.#calls.clear();
    this.#words.clear();
    this.#condensationItems.clear();
    this.#condensations = new LoggedCondensations();
    this.#course = new CondensationProgress();
    this.#live.discard();
    this.#transcript.add(headerItem(init, this.#styles));
    for (const logged of history) this.logged(logged);
    for (const call of init.cutOff) this.notice('problem', cutOffPhrase(call));
    for (const note of init.notes) this.notice('info', note);
  }

  /** The log has grown. */
  logged({ event, told }: LoggedEvent): void {
    this.#condensations.append(event);
    if (event.type === 'condensation-revert') this.#condensationItems.get(event.condensationId)?.reverted();
    if (isOfModel(event)) this.#live.discard();
    const reasoning = reasoningOf(event);
    if (reasoning !== '') this.#transcript.add(reasoningItem(reasoning, this.#styles));
    for (const each of told) this.#told(each, event);
  }

  /** What a call has changed in a file. */
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
        this.#words.set(told.id, `${told.from}: ${told.text.slice(0, keptWords)}`);
        const { text, from } = told;
        if (from === 'user') this.#transcript.add(userItem(text, this.#styles));
        else if (from === 'framework') this.#transcript.add(frameworkItem(text, this.#styles));
        else this.#transcript.add(answerItem(text, told.isCutOff === true, this.#styles));
        return;
      }
      case 'tool-call': {
        this.#words.set(told.id, callPhrase(told).slice(0, keptWords));
        const { id } = told;
        const item = new CallItem(told, this.#styles, () => void this.#readDiff(id));
        this.#calls.set(told.id, item);
        this.#transcript.add(item);
        return;
      }
      case 'tool-result': {
        const call = told.call === undefined ? undefined : this.#calls.get(told.call);
        const of = told.call === undefined ? told.name : (this.#words.get(told.call) ?? told.name);
        this.#words.set(told.id, `result of ${of}`.slice(0, keptWords));
        call?.ended(told);
        return;
      }
      case 'condensation': {
        this.#courseOf(told);
        if (event.type !== 'condensation' || isEmpty(told)) return;
        const { id } = event;
        const item = new CondensationItem({
          told,
          event,
          wordsOf: (of) => this.#words.get(of),
          readDetails: () => this.#condensations.details(id),
          changed: this.#changed,
          styles: this.#styles,
        });
        this.#condensationItems.set(id, item);
        this.#transcript.add(item);
        return;
      }
      case 'condensation-request':
      case 'condensation-attempt':
        return this.#courseOf(told);
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

  #courseOf(told: Parameters<CondensationProgress['follow']>[0]): void {
    for (const { level, text } of this.#course.follow(told)) this.notice(level, text);
  }

  /** The diff of a call of an earlier run is read when somebody looks. */
  async #readDiff(action: string): Promise<void> {
    const item = this.#calls.get(action);
    if (item === undefined || item.hasDiff) return;
    const diff = await this.#diffOf(action).catch(() => undefined);
    if (diff === undefined) return;
    item.hasChanged(diff);
    this.#changed();
  }

  /** A model call failed, and is tried again. */
  retried(event: RetryEvent): void {
    this.notice('problem', retryPhrase(event));
  }
}

/** What the model answered, in one form or another. */
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
