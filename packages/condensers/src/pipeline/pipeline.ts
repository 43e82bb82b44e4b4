import { isCondensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionsOf } from '../authoring/definition/option-schemas.js';
import { areCondensers, assertResult, contextOf, withStage } from '../authoring/definition/stages.js';

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
    stages,
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
          assertResult(result, 'pipeline', stage);
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
