import { access } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { condenserByName, condenserNames } from '@palimpsest/condensers/config';
import { loadCondenserFile } from '@palimpsest/condensers/node';
import pc from 'picocolors';
import { LogReadError } from './import/index.js';
import type { SkippedFile } from './import/index.js';
import { progress } from './progress.js';
import { priceRows, pricesOfModel } from './measure/money.js';
import type { Prices } from './measure/money.js';
import { UnknownModelError } from './measure/unknown-model-error.js';
import { none } from './replay/policy.js';
import type { Policy } from './replay/policy.js';
import { isLong, noteCounts, reportRows } from './replay/replay-report.js';
import type { ReplayedSession } from './replay/replay-report.js';
import { replayPath } from './replay/replay.js';
import { reportTable } from './replay/report-table.js';
import { standIn } from './replay/stand-in-llm.js';
import { textCounter, tokenUnit } from './replay/token-counter.js';

/** Options of `palimpsest-harness replay`, as the command line gives them. */
export interface ReplayCommandOptions {
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  readonly contextWindow?: number;
  /** A model whose prices the report adds, in USD. */
  readonly model?: string;
  readonly sessions: boolean;
  readonly json: boolean;
}

/**
 * Replays the paths and prints the report. Resolves to the exit code: 0, or 1 when a provider would refuse a message list,
 * a condenser failed, or nothing could be replayed.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for a configuration file that describes none.
 */
export async function replayCommand(paths: readonly string[], options: ReplayCommandOptions): Promise<number> {
  const policies = [none, ...(await policiesFor(options))];
  const prices = [...modelPrices(options.model), ...priceRows];
  const places = new Set(paths.map((path) => resolve(path)));
  for (const path of places) await assertReadable(path);
  const shown = progress();
  const sessions: ReplayedSession[] = [];
  const skipped: SkippedFile[] = [];
  try {
    for (const path of places) {
      const replayed = replayPath(path, {
        policies,
        prices,
        contextWindow: options.contextWindow,
        onProgress: shown.update,
        onSkipped: (file) => void skipped.push(file),
      });
      for await (const session of replayed) {
        sessions.push(session);
        const [first] = session.replays;
        shown.line(
          `${session.name} (${session.format}): ${session.events} events, ${first?.modelCalls ?? 0} model calls`,
        );
      }
    }
  } finally {
    shown.stop();
  }
  const rows = reportRows(sessions);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ tokenUnit, rows, sessions, skipped }, null, 2)}\n`);
  } else {
    printReport(sessions, skipped, options.sessions);
  }
  const bad = rows.some(({ refusedLists, condenserErrors }) => refusedLists > 0 || condenserErrors > 0);
  return bad || sessions.length === 0 ? 1 : 0;
}

/** @throws {@link UnknownModelError} for a model without known prices */
function modelPrices(model: string | undefined): readonly Prices[] {
  if (model === undefined) return [];
  const prices = pricesOfModel(model, new Date());
  if (prices === undefined) throw new UnknownModelError(model);
  return [prices];
}

/** The named condensers and those of the files; all built-in ones if neither is given. */
async function policiesFor({ condenser, config }: ReplayCommandOptions): Promise<readonly Policy[]> {
  const names = new Set(condenser.length === 0 && config.length === 0 ? condenserNames : condenser);
  names.delete(none.name);
  const named = [...names].map((name): Policy => ({ name, create: (llm) => condenserByName(name, { llm }) }));
  const described = config.map(async (file): Promise<Policy> => {
    const create: Policy['create'] = (llm) => loadCondenserFile(file, { llm: () => llm, defaultLLM: llm });
    // A bad file is refused before the replay begins.
    const { name } = await create(standIn(textCounter()).llm);
    const isAlone = config.length === 1 && !named.some((other) => other.name === name);
    return { name: isAlone ? name : `${name} (${basename(file)})`, create };
  });
  // Bad names are refused before the replay begins, too.
  for (const { create } of named) await create(standIn(textCounter()).llm);
  return withOwnNames([...named, ...(await Promise.all(described))]);
}

/** Numbers condensers of the same name for the report: `keepNewest`, `keepNewest (2)`. */
function withOwnNames(policies: readonly Policy[]): readonly Policy[] {
  const counts = new Map<string, number>([[none.name, 1]]);
  return policies.map(({ name, create }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { name: count === 1 ? name : `${name} (${count})`, create };
  });
}

/** Refuses a missing path before the replay of the others begins. */
async function assertReadable(path: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new LogReadError({ file: path, reason: 'there is no such file or folder, or it may not be read', cause });
  }
}

function printReport(sessions: readonly ReplayedSession[], skipped: readonly SkippedFile[], each: boolean): void {
  const print = (text = ''): void => void process.stdout.write(`${text}\n`);
  const colour = pc.isColorSupported && process.stdout.isTTY === true;
  if (each && sessions.length > 1) {
    for (const session of sessions) {
      print(`\n${session.name} (${session.format})`);
      print(reportTable(reportRows([session]), { colour }));
    }
    print('\nAll sessions');
  }
  print(reportTable(reportRows(sessions), { colour }));
  const long = sessions.filter(isLong);
  if (long.length > 0 && long.length < sessions.length) {
    print('\nLong sessions (at least 150 model calls and 60,000 tokens)');
    print(reportTable(reportRows(long), { colour }));
  }
  if (sessions.length === 0) print('No session was found: there is no log of a known format.');
  for (const { name, replays } of sessions) {
    for (const { condenser, refusals, condenserErrors } of replays) {
      for (const { provider, rule, path, message, modelCall } of refusals) {
        print(
          `refused: ${name}, ${condenser}, model call ${modelCall + 1}: ${provider} ${rule} at ${path}: ${message}`,
        );
      }
      for (const { modelCall, message } of condenserErrors.slice(0, 3)) {
        print(`failed: ${name}, ${condenser}, model call ${modelCall + 1}: ${message}`);
      }
    }
  }
  const notes = noteCounts(sessions);
  if (sessions.length > 0) {
    print(
      'Bills are of input and of the condenser’s own model calls; r is the price of a cached token, a written one costs',
    );
    print(
      '1.25, an output token 5 times an uncached one. Recall is the share of what later calls took from old results',
    );
    print(
      'that was in view. Condensers that ask a model get a stand-in whose summaries have no content, so their recall is',
    );
    print('a lower bound. What the recorded agent condensed is left out. Our time varies with the machine.');
  }
  if (notes.size > 0) print(`Notes while reading: ${[...notes].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  if (skipped.length > 0) print(`Files without a session: ${skipped.length}`);
  for (const { file, reason } of skipped) print(`  ${file}: ${reason}`);
}
