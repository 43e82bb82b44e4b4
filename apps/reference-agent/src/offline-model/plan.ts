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
  /** The step to go on with, decided by what the calls answered. @defaultValue the one that follows in the plan */
  readonly next?: (results: readonly ToolResult[]) => string | undefined;
}

/** A turn with the step that it takes. */
export interface NextTurn extends Turn {
  readonly step: string;
  /** It reads a file again before the step's edit, because the text to replace is not in the messages any more. */
  readonly isReadingAgain: boolean;
}

/**
 * What a model that follows the plan does next. It knows the messages and nothing else: where it is in the plan it reads
 * from its own last turn, and before it edits a file it looks whether it still has the text that it means to replace.
 */
export function nextTurn(plan: readonly PlanStep[], messages: readonly Message[]): NextTurn | undefined {
  const memory = recollect(messages);
  const step = nextStep(plan, memory);
  if (step === undefined) return undefined;
  const turn = typeof step.turn === 'function' ? step.turn(memory) : step.turn;
  const forgotten = turn.calls.find(({ tool, input }) => tool === 'edit_file' && !memory.shows(String(input.old_text)));
  // Read a second time it would say the same: then the edit itself must tell what is wrong.
  const hasJustRead = memory.lastStep?.wasReadingAgain === true && memory.lastStep.name === step.name;
  if (forgotten === undefined || hasJustRead) return { ...turn, step: step.name, isReadingAgain: false };
  const path = String(forgotten.input.path);
  return {
    step: step.name,
    isReadingAgain: true,
    say: `I want to change ${path}, and the text that I would replace is not before me any more. I read it again.`,
    calls: [{ tool: 'read_file', input: { path } }],
  };
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
