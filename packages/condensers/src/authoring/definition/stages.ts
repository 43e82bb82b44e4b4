import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, Condenser } from '@palimpsest/view';
import { InvalidCondenserConfigError } from './errors.js';
import { optionIssue } from './option-schemas.js';
import type { OptionsCheck } from './option-schemas.js';

/** The reason for refusing a pipeline without stages. */
export const noStages = 'is an empty list, which does nothing: name a condenser, or noOp';

/** Checks that there is at least one stage and that each stage is a condenser. */
export const areCondensers: OptionsCheck = ({ value, issues }) => {
  const { stages } = value as { readonly stages?: readonly unknown[] };
  if (stages === undefined) return;
  if (stages.length === 0) issues.push(optionIssue('stages', noStages));
  for (const [index, stage] of stages.entries()) {
    const option = ['stages', index];
    if (typeof stage === 'function') issues.push(optionIssue(option, 'is a function that makes a condenser: call it'));
    else if (typeof (stage as Partial<Condenser> | undefined)?.condense !== 'function')
      issues.push(optionIssue(option, "must be a condenser: an object with a 'condense' method"));
  }
};

/** Checks the result of a stage. One in plain JavaScript may return any value, such as undefined because of a missing `return`. */
export function assertResult(result: unknown, condenser: string, { name }: Condenser): void {
  if (typeof result === 'object' && result !== null && ('events' in result || 'forgottenEventIds' in result)) return;
  const reason = 'returned neither a View nor a Condensation: is a `return` missing?';
  throw new InvalidCondenserConfigError({ condenser, option: name, reason });
}

/** Returns the context of a stage: its reports carry its name. */
export function contextOf(stage: Condenser, context: CondenseContext): CondenseContext {
  return {
    ...context,
    report: (attempt) =>
      context.report?.({ ...attempt, data: { ...attempt.data, stage: stagePath(stage, attempt.data?.['stage']) } }),
  };
}

/** Returns a condensation that carries the name of its stage. */
export function withStage(condensation: Condensation, stage: Condenser): Condensation {
  const { metadata } = condensation;
  return Object.freeze({
    ...condensation,
    metadata: Object.freeze({ condenser: stage.name, ...metadata, stage: stagePath(stage, metadata?.['stage']) }),
  });
}

/** Returns the path of a stage in nested pipelines, the outermost first. */
function stagePath(stage: Condenser, inner: unknown): string {
  return typeof inner === 'string' ? `${stage.name}/${inner}` : stage.name;
}
