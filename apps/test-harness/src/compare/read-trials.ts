import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { HarnessError, messageOf } from '../harness-error.js';
import { readReceipts, sumOfReceipts } from '../live/receipts.js';
import { trialKey, trialSchema } from '../live/trial.js';
import type { Trial } from '../live/trial.js';
import { readHarborJob } from './harbor-job.js';

/**
 * Reads results of live runs: folders or files of JSON Lines as `palimpsest-harness live` writes them, and folders of Harbor's jobs. What a line does not
 * say of cost, tokens, steps and re-read text is taken from the receipts that it names.
 *
 * @param sources - paths; `arm=path` names the arm of all trials there
 * @throws {@link HarnessError} `results` when something is no result, or a trial is there twice
 */
export async function readTrials(sources: readonly string[]): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const places = new Map<string, string>();
  const add = (trial: Trial, place: string): void => {
    const key = trialKey(trial);
    const before = places.get(key);
    if (before !== undefined) {
      const name = `trial ${trial.trial} of '${trial.task}' in the arm '${trial.arm}'`;
      throw new HarnessError(
        'results',
        `The ${name} is in '${before}' and in '${place}'. Name the arm of a source: ARM=PATH.`,
      );
    }
    places.set(key, place);
    trials.push(trial);
  };
  for (const source of sources) {
    const { arm, path: place } = namedSource(source);
    const results = join(place, 'results.jsonl');
    const path = existsSync(results) ? results : place;
    if (!(await isFolder(path))) {
      for (const trial of await readLines(path)) add(arm === undefined ? trial : { ...trial, arm }, path);
      continue;
    }
    for (const trial of await readHarborJob(path, arm)) {
      const earlier = trials.filter((other) => other.task === trial.task && other.arm === trial.arm);
      add({ ...trial, trial: earlier.length + 1 }, path);
    }
  }
  return trials;
}

function namedSource(source: string): { readonly arm?: string; readonly path: string } {
  const [, arm, path] = /^([^=/\\]+)=(.+)$/.exec(source) ?? [];
  return existsSync(source) || arm === undefined || path === undefined ? { path: source } : { arm, path };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw resultsError(path, messageOf(cause), cause);
  }
}

/** Reads a file of JSON Lines. Its last line is left out if it has no end: the run was stopped while it was written. */
async function readLines(file: string): Promise<readonly Trial[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const trials: Trial[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const trial = trialOf(line);
    if (trial instanceof Error) {
      if (index === lines.length - 1) break;
      const reason = trial instanceof z.ZodError ? z.prettifyError(trial) : trial.message;
      throw resultsError(`${file}:${index + 1}`, reason, trial);
    }
    trials.push(await withReceipts(trial, dirname(file)));
  }
  return trials;
}

function trialOf(line: string): Trial | Error {
  try {
    const parsed = trialSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : parsed.error;
  } catch (error) {
    return error as SyntaxError;
  }
}

/** Adds what the receipts say and the line does not. Results may have been copied without their receipts. */
async function withReceipts(trial: Trial, folder: string): Promise<Trial> {
  const { receipts, costUsd, tokens, steps, rereads } = trial;
  if (receipts === undefined || [costUsd, tokens, steps, rereads].every((value) => value !== undefined)) return trial;
  const read = await readReceipts(resolve(folder, receipts)).catch(() => []);
  return read.length === 0 ? trial : { ...sumOfReceipts(read), ...trial };
}

function resultsError(place: string, reason: string, cause: unknown): HarnessError {
  return new HarnessError('results', `Cannot read results of '${place}': ${reason}`, { file: place, reason, cause });
}
