import type { Message } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Session } from '../../import/index.js';
import { recordedSession } from '../../measure/recorded-session.js';
import type { RecordedSession } from '../../measure/recorded-session.js';
import { textCounter } from '../../measure/tokens.js';
import { randomNumbers } from '../../random-numbers.js';
import type { Policy } from '../../replay/named-policy.js';
import { condensedCalls } from '../../replay/replay-session.js';
import { stubSummarizer } from '../../replay/stub-summarizer.js';
import { actionOf, recordedActions, toolsOf } from './next-action.js';
import type { NextAction } from './next-action.js';

/** Options of {@link agreementIn}. */
export interface AgreementOptions {
  readonly llm: LLM;
  /** The first condenses nothing: the others are compared with it. */
  readonly policies: readonly Policy[];
  /** Points in the session. */
  readonly points: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Told what a call has cost. Unit: USD. @defaultValue unknown where the prices are */
  readonly onCall?: ((costUsd: number | undefined) => void) | undefined;
}

/** The model's action at a point under a policy. */
export interface PointAnswer {
  readonly policy: string;
  /** False if the policy had condensed nothing by then: the answer is that of the uncondensed list, and nothing was asked again. */
  readonly isCondensed: boolean;
  readonly isSameTool: boolean;
  readonly isSameTarget: boolean;
}

/** A point of a session, with the answers under all policies. */
export interface AgreementPoint {
  readonly session: string;
  /** The model call. The first is 1. */
  readonly call: number;
  readonly answers: readonly PointAnswer[];
}

/**
 * Asks a model what it would do next at points in the second half of a recorded session, once for each policy that has condensed by then, and
 * compares its first call with those of the record. Yields each point when it is answered.
 *
 * @throws {@link LLMError} when the model does not answer
 */
export async function* agreementIn(
  { events, name }: Pick<Session, 'events' | 'name'>,
  { llm, policies, points, seed, signal, onCall }: AgreementOptions,
): AsyncGenerator<AgreementPoint> {
  const session = recordedSession(events);
  const chosen = chosenPoints(session, points, seed);
  const lists = new Map<string, ReadonlyMap<number, readonly Message[]>>();
  for (const policy of policies) lists.set(policy.name, await listsAt(session, policy, chosen));
  const tools = toolsOf(events);
  const ask = async (messages: readonly Message[]): Promise<NextAction | undefined> => {
    const { message, costUsd } = await llm.complete({ messages, tools, signal });
    onCall?.(costUsd);
    const [first] = message.toolCalls ?? [];
    return first && actionOf(first);
  };
  for (const call of chosen) {
    const recorded = recordedActions(session, call);
    let whole: { readonly json: string; readonly action: NextAction | undefined } | undefined;
    const answers: PointAnswer[] = [];
    for (const { name: policy } of policies) {
      signal.throwIfAborted();
      const messages = lists.get(policy)?.get(call) ?? [];
      const json = JSON.stringify(messages);
      const isCondensed = whole !== undefined && json !== whole.json;
      const action = whole === undefined || isCondensed ? await ask(messages) : whole.action;
      whole ??= { json, action };
      answers.push({
        policy,
        isCondensed,
        isSameTool: recorded.some(({ tool }) => tool === action?.tool),
        isSameTarget: recorded.some(({ tool, target }) => tool === action?.tool && target === action.target),
      });
    }
    yield { session: name, call: call + 1, answers };
  }
}

/** Returns calls of the second half in which the agent acted, in their order. */
function chosenPoints(session: RecordedSession, points: number, seed: number): readonly number[] {
  const random = randomNumbers(seed);
  const half = Math.floor(session.calls.length / 2);
  const acting = session.calls
    .map((_, call) => call)
    .filter((call) => call >= half && recordedActions(session, call).length > 0);
  const drawn = acting.map((call) => ({ call, key: random() })).sort((one, other) => one.key - other.key);
  return drawn
    .slice(0, points)
    .map(({ call }) => call)
    .sort((one, other) => one - other);
}

/** Returns what would be sent at some calls. Thinking is left out: its signatures hold for the recorded list alone. */
async function listsAt(
  session: RecordedSession,
  policy: Policy,
  calls: readonly number[],
): Promise<ReadonlyMap<number, readonly Message[]>> {
  const lists = new Map<number, readonly Message[]>();
  const condenser = await policy.create(stubSummarizer(textCounter()).llm);
  for await (const { index, view } of condensedCalls(session, condenser)) {
    if (calls.includes(index)) lists.set(index, view.toMessages({ thinking: 'none' }));
    if (index === calls.at(-1)) break;
  }
  return lists;
}

/** The agreement under one policy, over all points. */
export interface AgreementRow {
  readonly policy: string;
  readonly points: number;
  /** Points at which it had condensed. */
  readonly condensed: number;
  readonly sameTool: number;
  readonly sameTarget: number;
  /** Points at which the model did what was recorded without condensation, and did not with it; and the reverse. */
  readonly lost: number;
  readonly won: number;
}

/** Returns a row for each policy. */
export function agreementRows(points: readonly AgreementPoint[]): readonly AgreementRow[] {
  const names = points[0]?.answers.map(({ policy }) => policy) ?? [];
  return names.map((policy, column) => {
    const pairs = points.flatMap(({ answers }) => {
      const [whole, own] = [answers[0], answers[column]];
      return whole === undefined || own === undefined ? [] : [{ whole, own }];
    });
    const count = (is: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(is).length;
    return {
      policy,
      points: pairs.length,
      condensed: count(({ own }) => own.isCondensed),
      sameTool: count(({ own }) => own.isSameTool),
      sameTarget: count(({ own }) => own.isSameTarget),
      lost: count(({ whole, own }) => whole.isSameTarget && !own.isSameTarget),
      won: count(({ whole, own }) => !whole.isSameTarget && own.isSameTarget),
    };
  });
}
