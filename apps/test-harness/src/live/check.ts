import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { HarnessError } from '../harness-error.js';
import { runGroup } from './process-group.js';
import type { TaskFolder } from './task-folder.js';

/**
 * Runs the check of a task on the agent's folder. Returns true if the reward is whole.
 *
 * @param place - a folder that the agent does not know
 * @throws {@link HarnessError} when the check gives no reward: nothing is known of the work then
 */
export async function isSolved(task: TaskFolder, cwd: string, place: string, log: string): Promise<boolean> {
  const verifier = path.join(place, 'verifier');
  await mkdir(verifier, { recursive: true });
  await runGroup({
    command: ['sh', path.join(path.resolve(task.folder), 'tests/test.sh')],
    cwd,
    env: { ...process.env, TASK_APP: cwd, TASK_VERIFIER: verifier },
    log,
    signal: AbortSignal.timeout(task.checkMs),
  });
  const reward = await readFile(path.join(verifier, 'reward.txt'), 'utf8').catch(() => '');
  if (reward.trim() === '' || !Number.isFinite(Number(reward)))
    throw new HarnessError('live', `The check of task '${task.name}' has given no reward: see ${log}.`);
  return Number(reward) >= 1;
}
