import { plannedModel, scriptedServer } from '@palimpsest/provider-servers';
import type { Plan, PlannedModelKind } from '@palimpsest/provider-servers';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Arm } from './arms.js';
import type { TaskFolder } from './task-folder.js';

/** A model with a script in the place of a real one. */
export interface ScriptedChoice {
  readonly kind: PlannedModelKind;
  readonly rereads: 'exact' | 'varied';
}

/** The variables by which agents find what they keep and what they are told. A trial has a home of its own. */
const foldersOfUser = /^(?:XDG_.*_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|PALIMPSEST_.*)$/;

/** The variables with which agents are told where to send. */
const addresses = (anthropic: string, openai = anthropic) => ({
  ANTHROPIC_BASE_URL: anthropic,
  OPENAI_BASE_URL: openai,
});

/** Returns the environment of an agent in a trial: the user's own, with another home and what the arm says. */
export function agentEnvironment(home: string, arm: Arm, user: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(user).filter(([name]) => !foldersOfUser.test(name));
  const upstream = arm.upstream === undefined ? {} : addresses(arm.upstream);
  return { ...Object.fromEntries(kept), HOME: home, ...upstream, ...arm.env };
}

/** A model with a script that listens, for one trial. */
export interface ListeningModel {
  /** The variables that lead an agent to it. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a model that follows the plan beside a task, on the APIs of Anthropic and of OpenAI. */
export async function startModel(
  task: TaskFolder,
  cwd: string,
  { kind, rereads }: ScriptedChoice,
): Promise<ListeningModel> {
  const plan = JSON.parse(await readFile(path.join(task.folder, 'plan.json'), 'utf8')) as Plan;
  const { script } = plannedModel(plan, { kind, folder: cwd, rereads });
  const [anthropic, openai] = await Promise.all([
    scriptedServer('anthropic', script),
    scriptedServer('openai', script),
  ]);
  return {
    env: { ...addresses(anthropic.baseURL, openai.baseURL), ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' },
    close: async () => {
      await Promise.all([anthropic.close(), openai.close()]);
    },
  };
}
