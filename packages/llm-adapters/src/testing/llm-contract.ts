import { scenarioOf } from './llm-contract/rule.js';
import type { LLMRule } from './llm-contract/rule.js';
import { rulesOfAborts } from './llm-contract/rules-of-aborts.js';
import { rulesOfAnswers } from './llm-contract/rules-of-answers.js';
import { rulesOfCalls } from './llm-contract/rules-of-calls.js';
import { rulesOfErrors } from './llm-contract/rules-of-errors.js';
import { rulesOfRequests } from './llm-contract/rules-of-requests.js';
import { rulesOfStreams } from './llm-contract/rules-of-streams.js';
import type { LLMFeature, LLMScenario, LLMUnderTest } from './llm-contract/scenario.js';

/** Options of {@link llmContract}. */
export interface LLMContractOptions {
  /** The runner's function that registers one test: of vitest, jest or `node:test`. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /**
   * Makes the LLM, with a provider behind it that does what the scenario says: a server of
   * `@palimpsest/provider-servers`, or one of your own.
   * It must not repeat requests more often than the scenario says.
   */
  readonly create: (scenario: LLMScenario) => LLMUnderTest | Promise<LLMUnderTest>;
  /**
   * The capabilities that the LLM lacks, with reasons. The tests of their rules print the reason in their names and check
   * nothing. @defaultValue nothing
   */
  readonly lacks?: Readonly<Partial<Record<LLMFeature, string>>>;
}

/**
 * Registers one test for each promise of the {@link LLM} port. An implementation that passes can stand behind an agent.
 *
 * @example
 * ```ts
 * llmContract({ test, create: (scenario) => myModelBehindAServerThatDoes(scenario) });
 * ```
 */
export function llmContract({ test, create, lacks = {} }: LLMContractOptions): void {
  for (const rule of rules) {
    const reason = rule.needs === undefined ? undefined : lacks[rule.needs];
    if (reason === undefined) test(`llm: ${rule.name}`, () => run(rule, create));
    else test(`llm: ${rule.name} (not asked: ${reason})`, () => Promise.resolve());
  }
}

const rules: readonly LLMRule[] = [
  ...rulesOfAnswers,
  ...rulesOfCalls,
  ...rulesOfStreams,
  ...rulesOfAborts,
  ...rulesOfRequests,
  ...rulesOfErrors,
];

async function run(rule: LLMRule, create: LLMContractOptions['create']): Promise<void> {
  const made: LLMUnderTest[] = [];
  try {
    await rule.check(async (...turns) => {
      const underTest = await create(scenarioOf(turns, rule));
      made.push(underTest);
      return underTest;
    });
  } finally {
    for (const { dispose } of made) await dispose?.();
  }
}
