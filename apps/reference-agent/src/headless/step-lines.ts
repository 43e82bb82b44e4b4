import { cutToWidth, onOneLine } from '@palimpsest/terminal';
import { shownNumber } from '../output/shown-number.js';
import { callInWords } from './call-words.js';
import type { InitEvent, ResultEvent, StreamEvent } from './stream-event.js';

type Told<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

/** Calls that say nothing: their words are the answer. */
const silentTools = new Set(['finish']);

/** A line for people. */
export interface StepLine {
  readonly text: string;
  readonly tone: 'bold' | 'dim' | 'plain' | 'condensation' | 'warning' | 'failure';
}

/** The lines for people of what is told of a run: one for each call, each condensation, each retry. */
export class StepLines {
  readonly #calls = new Map<string, Told<'tool-call'>>();
  /** The model's latest words: the answer, unless something follows them. */
  #words: string | undefined;

  /** The lines of an event, not yet cut to the width of the terminal. */
  follow(event: StreamEvent): readonly StepLine[] {
    switch (event.type) {
      case 'init':
        return initLines(event);
      case 'message': {
        if (event.from !== 'model') return [];
        const before = this.#spoken();
        this.#words = event.text;
        return event.isCutOff === true ? [...before, ...this.#spoken()] : before;
      }
      case 'tool-call':
        this.#calls.set(event.id, event);
        return silentTools.has(event.name) ? [] : this.#spoken();
      case 'tool-result':
        return silentTools.has(event.name) ? [] : [this.#result(event)];
      case 'condensation':
        return [line('condensation', condensationWords(event))];
      case 'condensation-request':
        return [line('warning', `! condensation requested: ${event.reason ?? 'no reason given'}`)];
      case 'condensation-attempt':
        return isFailure(event.outcome)
          ? [line('warning', `! ${event.condenser} ${event.outcome}: ${event.reason}`)]
          : [];
      case 'retry':
        return [line('warning', `! ${retryWords(event)}`)];
      case 'usage':
      case 'delta':
        return [];
      case 'result':
        return [line('dim', endWords(event))];
    }
  }

  #spoken(): readonly StepLine[] {
    const words = this.#words ?? '';
    this.#words = undefined;
    return words.trim() === '' ? [] : [line('plain', words)];
  }

  #result({ call, name, status, text, exitStatus = 0 }: Told<'tool-result'>): StepLine {
    const made = call === undefined ? undefined : this.#calls.get(call);
    if (call !== undefined) this.#calls.delete(call);
    const what = `  ${cutToWidth(callInWords(made ?? { name, arguments: '{}' }), longestCall)} → `;
    if (status !== 'ok') return line(status === 'failed' ? 'failure' : 'warning', `${what}${status}: ${text}`);
    if (exitStatus !== 0) return line('warning', `${what}exit ${exitStatus}`);
    return line('dim', `${what}${shownNumber(text.length)} characters`);
  }
}

/** The result has to be seen beside a long command. Unit: columns. */
const longestCall = 72;

function line(tone: StepLine['tone'], text: string): StepLine {
  return { tone, text: `${/^ */.exec(text)?.[0] ?? ''}${onOneLine(text)}` };
}

function initLines({ session, model, workspace, isResumed, cutOff, notes }: InitEvent): readonly StepLine[] {
  const what = `session ${session}${isResumed ? ' goes on' : ''}`;
  return [
    line('bold', `palimpsest: ${what}: ${model} in ${workspace}`),
    ...notes.map((note) => line('warning', `! ${note}`)),
    ...cutOff.map((call) => line('warning', `! was cut off; what it did is not known: ${callInWords(call)}`)),
  ];
}

function isFailure(outcome: string): boolean {
  return ['failed', 'unavailable'].includes(outcome) || outcome.startsWith('refused');
}

/** The reasons of `priced` in words. */
const reasons: Readonly<Record<string, string>> = {
  rent: 'to read on would cost more than to write the rest anew',
  cold: 'the prompt cache is cold',
  tokens: 'the window is full',
};

function condensationWords(event: Told<'condensation'>): string {
  const { tokensBefore, tokensAfter, condenser, reason, forgotten, masked } = event;
  const why = [condenser, reason === undefined ? undefined : (reasons[reason] ?? reason)];
  const said = why.filter((part) => part !== undefined);
  const sizes = `${shownNumber(tokensBefore)} → ${shownNumber(tokensAfter)} tokens`;
  const what = [
    forgotten === 0 ? [] : [`${forgotten} events are a summary`],
    masked === 0 ? [] : [`${masked} masked`],
  ].flat();
  return `◆ condensed: ${[sizes, ...what].join(', ')}${said.length === 0 ? '' : ` (${said.join(': ')})`}`;
}

function retryWords({ attempt, attempts, delayMs, error }: Told<'retry'>): string {
  return `try ${attempt} of ${attempts} failed, the next in ${(delayMs / 1_000).toFixed(1)} s: ${error}`;
}

function endWords({ status, session, steps, usage, costUsd, saved }: ResultEvent): string {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const input = uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
  const parts = [
    `${steps} model ${steps === 1 ? 'call' : 'calls'}`,
    `${shownNumber(input)} tokens in, ${shownNumber(outputTokens)} out`,
    ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`]),
    ...(saved.bill === 0 ? [] : [`condensing saved ${(saved.bill * 100).toFixed(0)} % of the bill`]),
  ];
  return `palimpsest: ${status}: ${parts.join(' · ')} · session ${session}`;
}
