import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../harness-error.js';
import type { Trial } from '../live/trial.js';

const [text, count] = [z.string().optional(), z.number().optional()];

/**
 * What is needed of `result.json` of a trial. An agent counts cached tokens among its input tokens.
 *
 * @see `harbor.models.trial.result` of Harbor (https://www.harborframework.com)
 */
const resultSchema = z.object({
  task_name: z.string(),
  trial_name: z.string(),
  source: text,
  agent_info: z.object({
    name: z.string(),
    version: text,
    model_info: z.object({ name: z.string() }).optional(),
  }),
  config: z.object({ agent: z.unknown() }).optional(),
  agent_result: z
    .object({
      n_input_tokens: count,
      n_cache_tokens: count,
      n_output_tokens: count,
      cost_usd: count,
      metadata: z.object({ n_episodes: count }).optional(),
    })
    .optional(),
  verifier_result: z.object({ rewards: z.record(z.string(), z.number()).optional() }).optional(),
  exception_info: z.object({ exception_type: z.string() }).optional(),
  started_at: text,
  agent_execution: z.object({ started_at: text, finished_at: text }).optional(),
});

type HarborResult = z.infer<typeof resultSchema>;

/** A trial without its number, which depends on what else is compared. */
export type UnnumberedTrial = Omit<Trial, 'trial'>;

/**
 * Reads a folder of a Harbor job: one arm, named as the folder if no name is given. A trial whose verifier gave no reward is not solved.
 *
 * @throws {@link HarnessError} `results` when a result is no trial's, or agents with different settings have run in the job
 */
export async function readHarborJob(folder: string, arm?: string): Promise<readonly UnnumberedTrial[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const results: HarborResult[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const file = join(folder, name, 'result.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) results.push(resultOf(file, text));
  }
  const agents = new Set(results.map(({ agent_info, config }) => JSON.stringify([agent_info, config?.agent])));
  if (agents.size > 1) {
    const reason = 'agents with different settings have run in this job. Run each of them as a job of its own';
    throw new HarnessError('results', `Cannot compare '${folder}': ${reason}.`, { file: folder, reason });
  }
  // Attempts of a task are numbered in the order in which they began.
  const started = (result: HarborResult): string => result.started_at ?? result.trial_name;
  return results
    .sort((one, other) => (started(one) < started(other) ? -1 : 1))
    .map((result) => trialOf(result, arm ?? basename(resolve(folder))));
}

function resultOf(file: string, text: string): HarborResult {
  try {
    return resultSchema.parse(withoutNulls(text));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new HarnessError('results', `'${file}' is no result of a Harbor trial: ${reason}`, { file, reason, cause });
  }
}

/** Parses JSON. What is null was not measured. */
function withoutNulls(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => (value === null ? undefined : value));
}

function trialOf(result: HarborResult, arm: string): UnnumberedTrial {
  const { agent_info: agent, agent_result: spent, exception_info: exception, agent_execution: run } = result;
  return {
    type: 'trial',
    task: result.task_name,
    family: result.source ?? 'harbor',
    arm,
    solved: isSolved(result.verifier_result?.rewards ?? {}),
    stopped: exception?.exception_type,
    costUsd: spent?.cost_usd,
    tokens: tokensOf(spent),
    steps: spent?.metadata?.n_episodes,
    wallMs: run && millisecondsBetween(run.started_at, run.finished_at),
    agent: { name: agent.name, version: agent.version },
    model: agent.model_info?.name,
  };
}

/** A verifier names its rewards as it likes. `reward` is what Harbor itself counts. */
function isSolved(rewards: Readonly<Record<string, number>>): boolean {
  const counted = rewards['reward'] === undefined ? Object.values(rewards) : [rewards['reward']];
  return counted.length > 0 && counted.every((reward) => reward >= 1);
}

function tokensOf(spent: HarborResult['agent_result']): Trial['tokens'] {
  const { n_input_tokens: input, n_cache_tokens: cacheRead = 0, n_output_tokens: output } = spent ?? {};
  return input === undefined || output === undefined
    ? undefined
    : { uncachedInput: input - cacheRead, cacheRead, output };
}

function millisecondsBetween(started = '', finished = ''): number | undefined {
  const elapsed = Date.parse(finished) - Date.parse(started);
  return Number.isNaN(elapsed) ? undefined : elapsed;
}
