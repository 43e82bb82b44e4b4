import type { PlanStep } from '../src/demo/offline-model.js';

const suites: readonly string[] = ['survey/tests', 'repair/run', 'repair/all'];

/** A plan of the sample project whose tests are all run at the end alone: each time takes ten processes. */
export function withoutSuites(plan: readonly PlanStep[]): readonly PlanStep[] {
  return plan.filter(({ name }) => !suites.includes(name));
}
