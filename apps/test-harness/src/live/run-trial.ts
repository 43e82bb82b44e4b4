import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HarnessError, messageOf } from '../harness-error.js';
import { agentEnvironment, startModel } from './agent-environment.js';
import type { ScriptedChoice } from './agent-environment.js';
import { condenserOf } from './arms.js';
import { isSolved } from './check.js';
import { commandWords, filledWords } from './command-words.js';
import { runGroup } from './process-group.js';
import type { GroupEnd } from './process-group.js';
import { readReceipts, sumOfReceipts } from './receipts.js';
import type { GatewayReceipt } from './receipts.js';
import type { Planned } from './schedule.js';
import { sessionFigures } from './session-figures.js';
import type { Trial } from './trial.js';

/** The setting of all trials. */
export interface TrialOptions {
  /** The agent's command, with `{instruction}` and, if it wants them, `{cwd}` and `{home}`. */
  readonly agent: string;
  /** The command of the gateway. */
  readonly gateway: string;
  /** The variable that holds the base URL of the agent. @defaultValue the gateway knows the agent */
  readonly variable?: string | undefined;
  /** @defaultValue none: a real model is asked */
  readonly script?: ScriptedChoice | undefined;
  /** The time for the agent, in the place of the task's own. Unit: milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** The folder of the results. */
  readonly results: string;
}

/** The limits of a trial: what it may still cost, and who may end it. */
export interface TrialLimits {
  /** Unit: USD. @defaultValue there is no limit */
  readonly leftUsd?: number | undefined;
  readonly signal: AbortSignal;
  /** Told now and then what the trial has cost so far. Unit: USD. */
  readonly onCost?: ((usd: number) => void) | undefined;
}

/** Between two looks at what a trial has cost so far. Unit: milliseconds. */
const lookMs = 1_000;

/** The folders of a trial. The agent's own is `work`; the others are beside it. */
interface Place {
  readonly folder: string;
  readonly cwd: string;
  readonly home: string;
  readonly data: string;
}

/**
 * Runs an agent on a task, in a fresh folder and a fresh home, behind a gateway of its own, and checks its work. Resolves to undefined if the
 * signal ended it: then nothing is known.
 *
 * @throws {@link HarnessError} when the agent cannot be started, has asked no model, or the check gives no reward
 */
export async function runTrial(
  planned: Planned,
  options: TrialOptions,
  limits: TrialLimits,
): Promise<Trial | undefined> {
  const { task, arm, trial } = planned;
  const name = `${task.name}-${arm.name}-${trial}`;
  const place = await makePlace(task.folder);
  const log = path.join(options.results, 'logs', `${name}.txt`);
  await mkdir(path.dirname(log), { recursive: true });
  await rm(log, { force: true });
  const model = options.script && (await startModel(task, place.cwd, options.script));
  const startedAt = new Date();
  try {
    const command = await commandOf(planned, options, place);
    const env = { ...agentEnvironment(place.home, arm), ...(arm.upstream === undefined ? model?.env : {}), ...arm.env };
    const end = await runBounded({ command, cwd: place.cwd, env, log }, place, planned, options, limits);
    if (limits.signal.aborted) return undefined;
    const receipts = await receiptsIn(place);
    if (receipts.length === 0) throw await notStarted(options.agent, end, log);
    const solved = await isSolved(task, place.cwd, place.folder, log);
    return {
      type: 'trial',
      task: task.name,
      family: task.family,
      arm: arm.name,
      trial,
      ...(task.seed !== undefined && { seed: task.seed }),
      solved,
      ...(end.stopped !== undefined && { stopped: end.stopped }),
      ...sumOfReceipts(receipts),
      ...(await sessionFigures(place.home)),
      wallMs: end.wallMs,
      startedAt: startedAt.toISOString(),
      agent: { name: path.basename(commandWords(arm.agent ?? options.agent)[0] ?? '') },
      ...(receipts[0]?.model !== undefined && { model: receipts[0].model }),
      receipts: await keepReceipts(place, options.results, name),
    };
  } finally {
    await model?.close();
    await rm(place.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makePlace(task: string): Promise<Place> {
  // Agents compare paths: none of them may be a link.
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'palimpsest-live-')));
  const place = {
    folder,
    cwd: path.join(folder, 'work'),
    home: path.join(folder, 'home'),
    data: path.join(folder, 'data'),
  };
  await Promise.all([mkdir(place.home), mkdir(place.data)]);
  await cp(path.join(task, 'environment/files'), place.cwd, { recursive: true });
  return place;
}

async function commandOf(
  { task, arm }: Planned,
  { agent, gateway, variable }: TrialOptions,
  place: Place,
): Promise<readonly string[]> {
  const { cwd, home, folder } = place;
  const condenser = condenserOf(arm);
  const config = condenser === undefined ? arm.config : path.join(folder, 'condenser.json');
  if (condenser !== undefined) await writeFile(path.join(folder, 'condenser.json'), JSON.stringify(condenser));
  return [
    ...commandWords(gateway),
    'run',
    ...['--data', place.data],
    ...(variable === undefined ? [] : ['--env', variable]),
    ...(arm.preset === undefined ? [] : ['--preset', arm.preset]),
    ...(config === undefined ? [] : ['--config', config]),
    '--',
    ...filledWords(commandWords(arm.agent ?? agent), { instruction: task.instruction, cwd, home }),
  ];
}

type BoundedEnd = GroupEnd & Pick<Trial, 'stopped'>;

/** Runs the agent until it ends, its time is over, or the money is spent. */
async function runBounded(
  group: Omit<Parameters<typeof runGroup>[0], 'signal'>,
  place: Place,
  { task }: Planned,
  { timeoutMs = task.agentMs }: TrialOptions,
  { signal, leftUsd = Infinity, onCost }: TrialLimits,
): Promise<BoundedEnd> {
  const over = new AbortController();
  const stop = (why: 'time' | 'budget'): void => over.abort(why);
  const timer = setTimeout(stop, timeoutMs, 'time');
  const look = setInterval(() => {
    void receiptsIn(place).then((receipts) => {
      const { costUsd } = sumOfReceipts(receipts);
      if (costUsd === undefined) return;
      onCost?.(costUsd);
      if (costUsd > leftUsd) stop('budget');
    });
  }, lookMs);
  try {
    const end = await runGroup({ ...group, signal: AbortSignal.any([signal, over.signal]) });
    if (over.signal.aborted) return { ...end, stopped: String(over.signal.reason) };
    return end.status === 0 ? end : { ...end, stopped: endedWith(end) };
  } catch (cause) {
    throw new HarnessError('live', `'${group.command[0]}' cannot be started: ${messageOf(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
    clearInterval(look);
  }
}

function endedWith({ status }: GroupEnd): string {
  return status === undefined ? 'The agent was ended by a signal.' : `The agent ended with status ${status}.`;
}

/** None as long as the gateway has written none. */
async function receiptsIn({ data }: Place): Promise<readonly GatewayReceipt[]> {
  return readReceipts(path.join(data, 'receipts')).catch(() => []);
}

async function keepReceipts({ data }: Place, results: string, name: string): Promise<string> {
  const kept = path.join('receipts', name);
  await cp(path.join(data, 'receipts'), path.join(results, kept), { recursive: true });
  return kept;
}

/** A command that asks no model is wrong: its trials would count as losses. */
async function notStarted(agent: string, { status }: GroupEnd, log: string): Promise<HarnessError> {
  const printed = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
  const ended = status === undefined ? '' : `, and ended with status ${status}`;
  return new HarnessError('live', `'${agent}' has asked no model through the gateway${ended}. It printed:\n${printed}`);
}
