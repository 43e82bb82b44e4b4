import { isErrorResult, isSentRole, isToolResult, isUserMessage, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Event, ToolResultEvent } from '@palimpsest/events';
import { isLastResort } from './condensing/last-resort.js';

/** What a run that gets nowhere does again and again. */
export type StuckPattern =
  'repeated-action' | 'repeated-error' | 'monologue' | 'alternating-actions' | 'context-window-loop';

/** How often something must happen in a row before it counts. Unit: times. */
export interface StuckThresholds {
  /** The same action with the same result. @defaultValue 4 */
  readonly repeatedAction: number;
  /** The same action that fails: so often the model is told; once more is stuck. @defaultValue 3 */
  readonly repeatedError: number;
  /** Words of the model, or nothing at all, with no action between. @defaultValue 3 */
  readonly monologue: number;
  /** Two actions in turns. @defaultValue 6 */
  readonly alternatingActions: number;
  /** The history overflows again with at most one action since it was last condensed for that. @defaultValue 4 */
  readonly contextWindowLoop: number;
}

/** The thresholds where nothing else was said. @see events-view-condenser-agent §8 for the first four */
export const defaultStuckThresholds: StuckThresholds = {
  repeatedAction: 4,
  repeatedError: 3,
  monologue: 3,
  alternatingActions: 6,
  contextWindowLoop: 4,
};

/** What was found: a run that is stuck, or one that may be saved by a word. */
export interface StuckFinding {
  readonly pattern: StuckPattern;
  readonly isNudge: boolean;
}

/** An action and its result, as far as they can be compared. */
interface Round {
  readonly call: string;
  readonly result: string;
  readonly failed: boolean;
}

/**
 * Looks for a pattern in the events since the user last said something. Notes, usage, condensations and the like count for
 * nothing: they neither make a pattern nor break one.
 */
export function stuckPattern(
  events: readonly Event[],
  thresholds: StuckThresholds = defaultStuckThresholds,
): StuckFinding | undefined {
  const rounds = roundsOf(events);
  const { repeatedAction, repeatedError, monologue, alternatingActions, contextWindowLoop } = thresholds;
  const failing = trailing(rounds, (round, last) => round.failed && round.call === last.call);
  if (failing > repeatedError) return { pattern: 'repeated-error', isNudge: false };
  const same = trailing(rounds, (round, last) => round.call === last.call && round.result === last.result);
  if (same >= repeatedAction) return { pattern: 'repeated-action', isNudge: false };
  if (alternates(rounds, alternatingActions)) return { pattern: 'alternating-actions', isNudge: false };
  if (messagesInARow(events) >= monologue) return { pattern: 'monologue', isNudge: false };
  if (overflowsInARow(events) >= contextWindowLoop) return { pattern: 'context-window-loop', isNudge: false };
  // Said once: what follows the failure is then our own word.
  const last = events.findLast((event) => isToolResult(event) || event.type === 'message' || event.type === 'action');
  const isFresh = last !== undefined && isToolResult(last);
  return failing === repeatedError && isFresh ? { pattern: 'repeated-error', isNudge: true } : undefined;
}

function roundsOf(events: readonly Event[]): readonly Round[] {
  const open: ActionEvent[] = [];
  const rounds: Round[] = [];
  for (const event of events) {
    if (event.type === 'action') open.push(event);
    else if (isToolResult(event)) {
      const index = open.findIndex(({ id, toolCall }) =>
        event.actionId === undefined ? toolCall.id === event.toolCallId : id === event.actionId,
      );
      const [action] = index === -1 ? [] : open.splice(index, 1);
      if (action !== undefined) rounds.push(roundOf(action, event));
    }
  }
  return rounds;
}

function roundOf({ toolCall }: ActionEvent, result: ToolResultEvent): Round {
  return {
    call: `${toolCall.name} ${toolCall.arguments}`,
    result: JSON.stringify(toolResultContent(result)),
    failed: isErrorResult(result),
  };
}

function trailing(rounds: readonly Round[], fits: (round: Round, last: Round) => boolean): number {
  const last = rounds.at(-1);
  if (last === undefined) return 0;
  let count = 0;
  while (count < rounds.length && fits(rounds[rounds.length - 1 - count] as Round, last)) count++;
  return count;
}

function alternates(rounds: readonly Round[], threshold: number): boolean {
  const tail = rounds.slice(-threshold);
  const [first, second] = tail;
  if (tail.length < threshold || first === undefined || second === undefined || first.call === second.call)
    return false;
  return tail.every((round, index) => {
    const before = tail[index - 2];
    return before === undefined || (round.call === before.call && round.result === before.result);
  });
}

function messagesInARow(events: readonly Event[]): number {
  let count = 0;
  for (const event of events.toReversed()) {
    if (event.type === 'action' || isToolResult(event)) break;
    if (isUserMessage(event)) break;
    if (event.type !== 'message' || event.source !== 'agent' || !isSentRole(event.role)) continue;
    // What the user cut off says nothing about what the model would have done.
    if (event.cutOff === undefined) count++;
  }
  return count;
}

/** Overflows with at most one action between each two: what was condensed away is read again at once. */
function overflowsInARow(events: readonly Event[]): number {
  let count = 0;
  let actions = 0;
  for (const event of events.toReversed()) {
    if (event.type === 'action') actions++;
    // What follows one overflow counts once: the request, and the agent's own condensation.
    if (isForOverflow(event) && (count === 0 || actions > 0)) {
      count++;
      actions = 0;
    }
    if (actions > 1) break;
  }
  return count;
}

function isForOverflow(event: Event): boolean {
  if (event.type === 'condensation-request') return event.source === 'environment';
  return event.type === 'condensation' && isLastResort(event);
}
