import type { LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { CondenserModelError } from '../authoring/definition/errors.js';
import type { ModelAccount } from '../authoring/definition/errors.js';
import { structuredAnswer } from '../authoring/model/answers.js';
import type { ObjectQuestion } from '../authoring/model/answers.js';
import { promptWithin } from '../authoring/model/prompt.js';
import type { Prompt } from '../authoring/model/prompt.js';

/** The settings of a ranking call. */
export interface AttentionQuestion {
  readonly llm: LLM;
  readonly write: Prompt;
  /** Unit: tokens. */
  readonly maxOutputTokens?: number;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Unit: characters. */
  readonly maxEventCharacters: number;
}

/** The ranking of a model. */
export interface Ranking {
  /** Indices of the view, the most important first; indices may repeat. */
  readonly ranked: readonly number[];
  readonly account: ModelAccount;
  /** The reason if the model's answer is not a ranking. */
  readonly unreadable?: string;
}

const question: ObjectQuestion = {
  name: 'ImportantEventSelection',
  description: 'The events that should stay, by their numbers, the most important first.',
  schema: {
    type: 'object',
    properties: {
      ids: {
        type: 'array',
        items: { type: 'integer' },
        description: 'Numbers of events, the most important first.',
      },
    },
    required: ['ids'],
    additionalProperties: false,
  },
};

/** The share of its readable input that the model receives; retries after a refusal as too long receive less. */
const inputScales = [1, 0.5, 0.25];

/** The minimum room in the window for the ranking. Unit: tokens. */
const usualAnswer = 1_024;

/**
 * Calls a model to name the events of a view that matter most. The request uses a response format, or an instruction if
 * the provider refuses the format. An answer that cannot be read is an empty ranking. If the history is refused as too
 * long, it is cut shorter, at most twice.
 *
 * @throws {@link CondenserModelError} when the prompt cannot be written or is blank, and when the model fails, is too slow, is
 *   cut off or returns no text; the signal's reason when the caller aborts.
 */
export async function askForRanking(
  view: View,
  { llm, write, maxOutputTokens, timeoutMs, maxEventCharacters }: AttentionQuestion,
  {
    wanted,
    signal,
    focus,
  }: { readonly wanted: number; readonly signal: AbortSignal | undefined; readonly focus: string | undefined },
): Promise<Ranking> {
  for (const [attempt, inputScale] of inputScales.entries()) {
    try {
      const history = promptWithin(
        write,
        { events: view.events.slice(), maxSummaryTokens: usualAnswer, inputScale, focus },
        { contextWindow: llm.contextWindow, maxOutputTokens, maxEventCharacters },
      );
      const prompt = `${history}\n\nAbout ${wanted} of these events can stay. Name at least so many by their numbers, the most important first.`;
      const { value, account } = await structuredAnswer(
        llm,
        { prompt, question, ways: ['format', 'instruction'], maxOutputTokens },
        { timeoutMs, signal },
      );
      const ids = idsOf(value);
      if (ids === undefined) return { ranked: [], account, unreadable: 'the answer holds no list of ids' };
      return { ranked: ids.flatMap((id) => indexOf(id, view)), account };
    } catch (error) {
      if (!CondenserModelError.isInstance(error)) throw error;
      if (error.kind === 'invalid') return { ranked: [], account: error.account, unreadable: error.message };
      const isLast = attempt === inputScales.length - 1;
      if (isLast || error.kind !== 'overflow' || !error.mayRetry) throw error;
    }
  }
  throw new CondenserModelError('overflow', 'the history does not fit, however short');
}

function idsOf(value: unknown): readonly unknown[] | undefined {
  const ids = typeof value === 'object' && value !== null && 'ids' in value ? value.ids : value;
  return Array.isArray(ids) ? (ids as readonly unknown[]) : undefined;
}

/** Returns the event that an answer names. The prompt numbers events from 1; the id of an event is accepted too. */
function indexOf(id: unknown, view: View): readonly number[] {
  if (typeof id !== 'number' && typeof id !== 'string') return [];
  const number = typeof id === 'string' && id.trim() === '' ? NaN : Number(id);
  if (Number.isInteger(number)) return number >= 1 && number <= view.events.length ? [number - 1] : [];
  const index = view.indexOf(String(id));
  return index === undefined ? [] : [index];
}
