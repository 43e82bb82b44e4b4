import type { Message } from '@palimpsest/events';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest, toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers/rules';
import type { Meter, ReplayedCall } from './replayed-call.js';

/** The refused message lists of a replay. */
export interface RefusedLists {
  readonly refusedLists: number;
  /** The first few refusals. */
  readonly refusals: readonly (Refusal & { readonly modelCall: number })[];
}

const refusalsKept = 5;

/** A list that was found sound by what it adds to the one before it: the beginning of the newest list. */
interface Grown {
  readonly modelCall: number;
  /** Unit: messages. */
  readonly length: number;
}

/**
 * Checks each list against the rules of all providers. While lists only grow, it checks what is new, from the answer before it on,
 * and the whole list when it has doubled, after a rewrite, and at the end. If a whole list is refused, the lists that it grew from
 * are checked whole too. So the time grows with the session, and the result is that of checking each list whole.
 *
 * @param knownValidSuffixes - what was found sound when a list grew by it, as JSON. The replays of one session share it, because most of
 *   their lists grow by the same messages.
 */
export function refusalMeter(
  knownValidSuffixes = new Set<string>(),
  find: (messages: readonly Message[]) => readonly Refusal[] = findRefusals,
): Meter<RefusedLists, Pick<ReplayedCall, 'index' | 'messages'>> {
  const refused: { readonly modelCall: number; readonly found: readonly Refusal[] }[] = [];
  let sound: readonly Message[] | undefined;
  let lengthAtWholeCheck = 0;
  let grown: Grown[] = [];

  const isSoundAddition = (messages: readonly Message[]): boolean => {
    const json = JSON.stringify(messages);
    if (knownValidSuffixes.has(json)) return true;
    const isSound = find(messages).length === 0;
    if (isSound) knownValidSuffixes.add(json);
    return isSound;
  };

  /** Checks the newest list whole, and if it is refused those that it grew from. */
  const settle = (): void => {
    const newest = grown.at(-1);
    if (sound === undefined || newest === undefined) return;
    if (find(sound).length > 0) {
      for (const { modelCall, length } of grown) {
        const found = find(sound.slice(0, length));
        if (found.length > 0) refused.push({ modelCall, found });
      }
    }
    grown = [];
  };

  return {
    atCall: ({ index: modelCall, messages }) => {
      const isLonger = sound !== undefined && startsWith(messages, sound);
      if (isLonger && messages.length < 2 * lengthAtWholeCheck) {
        if (isSoundAddition(messages.slice(answerBefore(messages, sound?.length ?? 0)))) {
          grown.push({ modelCall, length: messages.length });
          sound = messages;
          return;
        }
      }
      const found = find(messages);
      // What a longer list shows to be sound is sound in the lists that it grew from.
      if (isLonger && found.length === 0) grown = [];
      settle();
      sound = found.length === 0 ? messages : undefined;
      lengthAtWholeCheck = messages.length;
      if (found.length > 0) refused.push({ modelCall, found });
    },
    result: () => {
      // Checks what was left for later.
      settle();
      const refusals = refused.flatMap(({ modelCall, found }) => found.map((refusal) => ({ ...refusal, modelCall })));
      return { refusedLists: refused.length, refusals: refusals.slice(0, refusalsKept) };
    },
  };
}

function startsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  if (messages.length < beginning.length) return false;
  return beginning.every(
    (message, index) => message === messages[index] || JSON.stringify(message) === JSON.stringify(messages[index]),
  );
}

/** Returns where the answer begins that stands at or before a place: lists can be checked from there on. */
function answerBefore(messages: readonly Message[], place: number): number {
  for (let start = Math.min(place, messages.length - 1); start > 0; start--) {
    if (messages[start]?.role === 'assistant' && messages[start - 1]?.role !== 'assistant') return start;
  }
  return 0;
}

/** A rule of a provider's protocol that a message list breaks. */
export interface Refusal {
  readonly provider: 'anthropic' | 'openai';
  /** The rule that it breaks, by its row in docs/provider-rules.md: `A5` of Anthropic, `B1` of Chat Completions, `C6` of Responses. */
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** Any model will do: only the rules of message lists are checked. */
const models = { anthropic: 'claude-opus-5-5', openai: 'gpt-5.2' };

/** Returns the rules that the messages break after conversion by the provider's adapter; empty if every provider takes them. */
export function findRefusals(messages: readonly Message[]): readonly Refusal[] {
  const anthropic = checkAnthropicRequest(toMessagesRequest({ messages }, { model: models.anthropic }));
  const openai = checkChatCompletionsRequest(toChatCompletionsRequest({ messages }, { model: models.openai }));
  const responses = checkResponsesRequest(toResponsesRequest({ messages }, { model: models.openai }));
  return [
    ...anthropic.map((violation): Refusal => ({ provider: 'anthropic', ...violation })),
    ...[...openai, ...responses].map((violation): Refusal => ({ provider: 'openai', ...violation })),
  ];
}
