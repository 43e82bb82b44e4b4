import { isErrorResult, isSentRole, isToolResult, isUserMessage, toolResultContent } from '@palimpsest/events';
import type { ActionEvent, Event, ToolResultEvent } from '@palimpsest/events';
import { isLastResort } from './condensing/last-resort.js';
import type { StuckPattern } from './outcome.js';

/** The number of times in a row that each pattern must repeat. Unit: times. */
export interface StuckThresholds {
  /** The same action with the same result. @defaultValue 4 */
  readonly repeatedAction: number;
  /**
   * The same action that fails: the model is told after so many failures, and the run is stuck after one more. @defaultValue
   * 3
   */
  readonly repeatedError: number;
  /** Messages of the model, empty ones too, with no action between. @defaultValue 3 */
  readonly monologue: number;
  /** Actions in which two calls alternate. @defaultValue 6 */
  readonly alternatingActions: number;
  /** Overflows with at most one action since the condensation that answered the last one. @defaultValue 4 */
  readonly contextWindowLoop: number;
}

/** The default thresholds. @see events-view-condenser-agent §8 for the first four */
export const defaultStuckThresholds: StuckThresholds = {
  repeatedAction: 4,
  repeatedError: 3,
  monologue: 3,
  alternatingActions: 6,
  contextWindowLoop: 4,
};

/** A pattern. With `isNudge` the run is not stuck yet, and the model should be told. */
export interface StuckFinding {
  readonly pattern: StuckPattern;
  readonly isNudge: boolean;
}

/** An action and its result, as far as they are compared. */
interface Round {
  readonly call: string;
  readonly result: string;
  readonly failed: boolean;
}

/**
 * Finds a pattern in the events since the user's last message. Notes, usage, condensations and the like neither make a
 * pattern nor break one.
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
  // The model is told once: after that, the newest event is the note.
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
    // An answer that the user cut off does not show what the model would have done.
    if (event.cutOff === undefined) count++;
  }
  return count;
}

/** Counts overflows with at most one action between each two: the model reads again what was condensed away. */
function overflowsInARow(events: readonly Event[]): number {
  let count = 0;
  let actions = 0;
  for (const event of events.toReversed()) {
    if (event.type === 'action') actions++;
    // The request and the agent's own condensation follow the same overflow, and count once.
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
