import type { Condensation } from '@palimpsest/events';
import { isCondensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { defineCondenser } from '../authoring/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { optionIssue, optionsOf } from '../authoring/options/option-schemas.js';
import type { OptionsCheck } from '../authoring/options/option-schemas.js';

/**
 * Runs condensers in sequence, each on the view that the previous one returned, and stops at the first `Condensation`.
 *
 * If a stage must act but cannot, the pipeline reports it and runs the next stage. If no stage acts, the pipeline throws. Reports
 * and condensations carry the stage's name (`data.stage`, `metadata.stage`).
 *
 * The pipeline handles requests if a stage does, rewrites at every step if a stage does, and protects unless a stage does not.
 * Bound: the lowest bound of the stages; each stage's bound applies to its own input.
 *
 * @throws {@link InvalidCondenserConfigError} when there is no stage or one is not a condenser, and from `condense` when a stage
 *   returns neither a view nor a condensation; `condense` throws {@link NoCondensationAvailableError} when a stage had to act and
 *   could not, and no later one acted.
 */
export function pipelineCondenser(stages: readonly Condenser[]): Condenser {
  return pipeline.create({ stages });
}

/** The reason for refusing a pipeline without stages. */
export const noStages = 'is an empty list, which does nothing: name a condenser, or noOp';

/** Checks that there is at least one stage and that each stage is a condenser. */
const areCondensers: OptionsCheck = ({ value, issues }) => {
  const { stages } = value as { readonly stages: readonly unknown[] };
  if (stages.length === 0) issues.push(optionIssue('stages', noStages));
  for (const [index, stage] of stages.entries()) {
    const option = ['stages', index];
    if (typeof stage === 'function') issues.push(optionIssue(option, 'is a function: call it, it makes a condenser'));
    else if (typeof (stage as Partial<Condenser> | undefined)?.condense !== 'function')
      issues.push(optionIssue(option, "must be a condenser, with 'condense'"));
  }
};

/** The definition of {@link pipelineCondenser}. */
export const pipeline = /* @__PURE__ */ defineCondenser({
  name: 'pipeline',
  summary: 'runs condensers one after the other, up to the first that condenses',
  options: /* @__PURE__ */ optionsOf(
    () => ({ stages: z.readonly(z.array(z.custom<Condenser>(), { error: 'must be a list of condensers' })) }),
    areCondensers,
  ),
  create: ({ stages }) => oneAfterTheOther(stages),
});

function oneAfterTheOther(stages: readonly Condenser[]): Condenser {
  return {
    name: 'pipeline',
    handlesCondensationRequests: stages.some((stage) => stage.handlesCondensationRequests === true),
    rewritesEveryStep: stages.some((stage) => stage.rewritesEveryStep === true),
    protects: stages.every((stage) => stage.protects !== false),
    condense: async (view, context = {}) => {
      let current: View = view;
      let unable: NoCondensationAvailableError | undefined;
      for (const stage of stages) {
        context.signal?.throwIfAborted();
        try {
          const result = await stage.condense(current, contextOf(stage, context));
          assertResult(result, stage);
          if (isCondensation(result)) return withStage(result, stage);
          current = result;
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          context.report?.({ outcome: 'unavailable', reason: error.message, data: { stage: stage.name } });
          unable = error;
        }
      }
      if (unable !== undefined) throw unable;
      return current;
    },
  };
}

/** A stage in plain JavaScript may return any value, such as undefined because of a missing `return`. */
function assertResult(result: unknown, { name }: Condenser): void {
  if (typeof result === 'object' && result !== null && ('events' in result || 'forgottenEventIds' in result)) return;
  const reason = 'returned neither a View nor a Condensation: is a `return` missing?';
  throw new InvalidCondenserConfigError({ condenser: 'pipeline', option: name, reason });
}

function contextOf(stage: Condenser, context: CondenseContext): CondenseContext {
  return {
    ...context,
    report: (attempt) =>
      context.report?.({ ...attempt, data: { ...attempt.data, stage: stagePath(stage, attempt.data?.['stage']) } }),
  };
}

function withStage(condensation: Condensation, stage: Condenser): Condensation {
  const { metadata } = condensation;
  return Object.freeze({
    ...condensation,
    metadata: Object.freeze({ condenser: stage.name, ...metadata, stage: stagePath(stage, metadata?.['stage']) }),
  });
}

/** The path of a stage in nested pipelines, the outermost first. */
function stagePath(stage: Condenser, inner: unknown): string {
  return typeof inner === 'string' ? `${stage.name}/${inner}` : stage.name;
}
