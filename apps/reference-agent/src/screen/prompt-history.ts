import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { secretMask } from '@palimpsest/agent';
import { sessionsFolder } from '../settings/user-folders.js';
import { knownSecrets } from '../agent/shell.js';

/** The prompts that are offered again, and kept when the file is written anew. */
const maxPrompts = 200;
/** A longer file is written anew. Unit: characters. */
const maxFile = 1_000_000;
/** A longer prompt is not kept. Unit: characters. */
const maxPrompt = 20_000;

/** The prompts of the user in a folder, over all its sessions. */
export interface PromptHistory {
  /** The oldest first. */
  prompts(): Promise<readonly string[]>;
  /** Keeps a prompt: with secrets masked, as the log masks them. A file that cannot be written is no reason to stop. */
  add(prompt: string): Promise<void>;
}

/** Returns the history of a folder, in a file that only the user can read, beside the sessions. */
export function promptHistory(folder: string, env: Readonly<Record<string, string | undefined>>): PromptHistory {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  const file = join(dirname(sessionsFolder(env)), 'prompts', `${name}.jsonl`);
  const masked = secretMask(knownSecrets(env));
  let last: Promise<unknown> = Promise.resolve();
  return {
    async prompts() {
      return (await readPrompts(file)).slice(-maxPrompts);
    },
    async add(prompt) {
      if (prompt.length > maxPrompt || prompt.trim() === '') return;
      last = last.then(() => append(file, masked.text(prompt))).catch(() => undefined);
      await last;
    },
  };
}

async function readPrompts(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === 'string' ? [value] : [];
    } catch {
      // An end that was torn, or the empty last line.
      return [];
    }
  });
}

async function append(file: string, prompt: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.length > maxFile) {
    const kept = (await readPrompts(file)).slice(-maxPrompts);
    await writeFile(`${file}.new`, kept.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  await appendFile(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}
