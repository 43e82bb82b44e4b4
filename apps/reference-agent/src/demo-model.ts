import type { LLM } from '@palimpsest/llm-adapters';
import { llmByName } from '@palimpsest/llm-adapters/by-name';
import { offlineModel } from './offline-model/offline-model.js';
import { demoPlan } from './offline-model/sample-plan/demo-plan.js';

/**
 * The model of the demo: without a name the offline model, otherwise that of the name, as in `llmByName`.
 *
 * @throws the errors of `llmByName`.
 */
export async function chooseModel(
  name: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LLM> {
  return name === undefined ? offlineModel({ plan: demoPlan }) : llmByName(name, { env });
}
