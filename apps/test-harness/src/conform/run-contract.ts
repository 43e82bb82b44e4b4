import type { Event } from '@palimpsest/events';
import { condenserContract, randomLog, viewPropertyContract } from '@palimpsest/view/testing';
import type { CondenserContractOptions, NamedLog } from '@palimpsest/view/testing';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { Condenser, ViewProperty } from '@palimpsest/view';
import { messageOf } from '../harness-error.js';

/** The result of one rule of a contract. */
export interface RuleResult {
  /** The number of the rule in its contract; the first is 1. */
  readonly number: number;
  readonly rule: string;
  readonly passed: boolean;
  /** What the condenser did, and on which log. Absent for a rule that it keeps. */
  readonly counterexample?: string;
  /** The seed of the generated log on which the rule was broken, if it was a generated one. */
  readonly seed?: number;
}

/** Options of the contracts. */
export interface ContractRun {
  readonly seeds: readonly number[] | undefined;
  /** The number of the only rule to run. @defaultValue all */
  readonly rule: number | undefined;
  /** A rule that takes longer fails. Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly onRule: (result: RuleResult) => void;
}

type DeclaredRule = readonly [name: string, run: () => Promise<void>];

/** Runs the contract of condensers, one rule after another. */
export function runCondenserContract(
  options: Omit<CondenserContractOptions, 'test' | 'seeds'>,
  run: ContractRun,
): Promise<readonly RuleResult[]> {
  const rules: DeclaredRule[] = [];
  condenserContract({ ...options, seeds: run.seeds, test: (name, check) => rules.push([name, check]) });
  return runRules(rules, run);
}

/** Runs the contract of view properties, one rule after another. */
export function runPropertyContract(
  property: ViewProperty,
  logs: readonly NamedLog[],
  run: ContractRun,
): Promise<readonly RuleResult[]> {
  const rules: DeclaredRule[] = [];
  viewPropertyContract({ property, logs, seeds: run.seeds, test: (name, check) => rules.push([name, check]) });
  return runRules(rules, run);
}

async function runRules(rules: readonly DeclaredRule[], run: ContractRun): Promise<readonly RuleResult[]> {
  const results: RuleResult[] = [];
  for (const [index, [name, check]] of rules.entries()) {
    const number = index + 1;
    if (run.rule !== undefined && run.rule !== number) continue;
    const problem = await problemOf(check, run.timeoutMs);
    const rule = name.replace(/ \(seeds [\d, ]*\)$/, '');
    const result = { number, rule, passed: problem === undefined, ...counterexampleOf(problem) };
    results.push(result);
    run.onRule(result);
  }
  return results;
}

function counterexampleOf(problem: string | undefined): Pick<RuleResult, 'counterexample' | 'seed'> {
  if (problem === undefined) return {};
  const [, seed] = /\bseed (\d+)/.exec(problem) ?? [];
  return { counterexample: problem, ...(seed === undefined ? {} : { seed: Number(seed) }) };
}

/** What is wrong, as the rule says it; `undefined` if the rule is kept. */
async function problemOf(check: () => Promise<void>, timeoutMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`the rule did not end within ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([check().then(() => undefined), late]);
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
  }
}

const lengths = [60, 200, 600, 2_000];

/** The shortest of some generated logs on which the condenser acts; the longest if it acts on none. */
export async function logToActOn(
  create: () => Condenser | Promise<Condenser>,
  context: CondenserContractOptions['context'],
): Promise<readonly Event[]> {
  let events: readonly Event[] = [];
  for (const length of lengths) {
    ({ events } = randomLog({ seed: 1, length, decisions: false }));
    const log = new ViewProjection();
    for (const event of events) log.append(event);
    const before = log.view;
    try {
      const view = await condenseUntilSettled(await create(), log, context);
      if (log.view.condensations.length > 0 || view !== before) return events;
    } catch {
      // The contract says what is wrong with it.
      return events;
    }
  }
  return events;
}
