import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { HarnessError } from '../harness-error.js';
import { trialSchema } from './trial.js';
import type { Trial } from './trial.js';

/** The results of a run: JSON Lines that grow, in a folder with the gateway's receipts and what the agents printed. */
export class ResultsFile {
  readonly folder: string;
  readonly #file: string;
  #isTorn = false;

  constructor(folder: string) {
    this.folder = path.resolve(folder);
    this.#file = path.join(this.folder, 'results.jsonl');
  }

  /** Returns what is there, from an earlier run. @throws {@link HarnessError} when a line is no result */
  async read(): Promise<readonly Trial[]> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new HarnessError('live', `'${this.#file}' cannot be read: ${error.message}`, { cause: error });
    });
    const lines = text.split('\n');
    // A process that was ended while it wrote leaves half of a line.
    const torn = lines.pop() ?? '';
    this.#isTorn = torn !== '';
    return lines.filter((line) => line.trim() !== '').flatMap((line, index) => this.#trialOf(line, index + 1) ?? []);
  }

  async append(trial: Trial): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await appendFile(this.#file, `${this.#isTorn ? '\n' : ''}${JSON.stringify(trial)}\n`);
    this.#isTorn = false;
  }

  #trialOf(line: string, number: number): Trial | undefined {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return undefined;
    }
    const { data } = trialSchema.safeParse(value);
    if (data === undefined) throw new HarnessError('live', `'${this.#file}': line ${number} is no result.`);
    return data;
  }
}
