import type { Message } from '@palimpsest/events';
import { recollect } from './recollection.js';
import type { Recollection, ToolResult } from './recollection.js';

/** A tool call that a plan makes. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model says and calls in one turn. */
export interface Turn {
  readonly say: string;
  readonly calls: readonly PlannedCall[];
}

/** One step of a plan. */
export interface PlanStep {
  /** Lower-case words with `-` and `/`; unique in the plan. */
  readonly name: string;
  readonly turn: Turn | ((memory: Recollection) => Turn);
  /** Chooses the next step by the answers to the calls. @defaultValue the following step of the plan */
  readonly next?: (results: readonly ToolResult[]) => string | undefined;
}

/** A turn with the step that it takes. */
export interface NextTurn extends Turn {
  readonly step: string;
  /** The turn reads a file again before the step's edit, because the messages no longer hold the text to replace. */
  readonly isReadingAgain: boolean;
}

/**
 * The next turn of a model that follows the plan. It knows only the messages. Its own last turn names its place in the plan.
 * Before it edits a file, it checks that the messages still hold the text to replace.
 */
export function nextTurn(plan: readonly PlanStep[], messages: readonly Message[]): NextTurn | undefined {
  const memory = recollect(messages);
  const step = nextStep(plan, memory);
  if (step === undefined) return undefined;
  const turn = turnOf(step, memory);
  const forgotten = turn.calls.filter(
    ({ tool, input }, index) =>
      tool === 'edit_file' &&
      !memory.shows(String(input.old_text)) &&
      !isWrittenBefore(String(input.old_text), turn.calls.slice(0, index)),
  );
  // A second read would return the same text, so the edit runs and its error says what is wrong.
  const hasJustRead = memory.lastStep?.wasReadingAgain === true && memory.lastStep.name === step.name;
  if (forgotten.length === 0 || hasJustRead) return { ...turn, step: step.name, isReadingAgain: false };
  const paths = [...new Set(forgotten.map(({ input }) => String(input.path)))];
  return {
    step: step.name,
    isReadingAgain: true,
    say: `I want to change ${paths.join(' and ')}, and the text that I would replace is not before me any more. I read it again.`,
    calls: paths.map((path) => ({ tool: 'read_file', input: { path } })),
  };
}

/** What the model says and calls in a step. */
export function turnOf(step: PlanStep, memory: Recollection): Turn {
  return typeof step.turn === 'function' ? step.turn(memory) : step.turn;
}

/** An earlier call of the same turn may write what a later one replaces. */
function isWrittenBefore(text: string, calls: readonly PlannedCall[]): boolean {
  return calls.some(({ input }) => [input.new_text, input.content].some((written) => String(written).includes(text)));
}

function nextStep(plan: readonly PlanStep[], { lastStep, results }: Recollection): PlanStep | undefined {
  if (lastStep === undefined) return plan[0];
  const index = plan.findIndex(({ name }) => name === lastStep.name);
  const last = plan[index];
  if (last === undefined) return plan[0];
  if (lastStep.wasReadingAgain) return last;
  const chosen = last.next?.(results);
  return chosen === undefined ? plan[index + 1] : plan.find(({ name }) => name === chosen);
}
