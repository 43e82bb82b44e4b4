import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { condenserByName, condenserNames } from '@palimpsest/condensers/config';
import { loadCondenserFile } from '@palimpsest/condensers/node';
import pc from 'picocolors';
import type { Condenser } from '@palimpsest/view';
import { LogReadError } from './import/index.js';
import type { SkippedFile } from './import/index.js';
import { progress } from './progress.js';
import { noteCounts, reportRows } from './replay/replay-report.js';
import type { ReplayedSession } from './replay/replay-report.js';
import { replayPath } from './replay/replay.js';
import { reportTable } from './replay/report-table.js';
import { standInLLM } from './replay/stand-in-llm.js';
import { tokenUnit } from './replay/token-counter.js';

/** Options of `palimpsest-harness replay`, as the command line gives them. */
export interface ReplayCommandOptions {
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  readonly contextWindow?: number;
  readonly sessions: boolean;
  readonly json: boolean;
}

/** The row that condenses nothing; the savings of the others are relative to it. */
export const none: Condenser = { name: 'none', condense: (view) => view };

/**
 * Replays the paths and prints the report. Resolves to the exit code: 0, or 1 when a provider would refuse a message list,
 * a condenser failed, or nothing could be replayed.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for a configuration file that describes none.
 */
export async function replayCommand(paths: readonly string[], options: ReplayCommandOptions): Promise<number> {
  const condensers = [none, ...(await condensersFor(options))];
  const places = new Set(paths.map((path) => resolve(path)));
  for (const path of places) await assertReadable(path);
  const shown = progress();
  const sessions: ReplayedSession[] = [];
  const skipped: SkippedFile[] = [];
  try {
    for (const path of places) {
      const replayed = replayPath(path, {
        condensers,
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

/** The named condensers and those of the files; all built-in ones if neither is given. */
async function condensersFor({ condenser, config }: ReplayCommandOptions): Promise<readonly Condenser[]> {
  const names = new Set(condenser.length === 0 && config.length === 0 ? condenserNames : condenser);
  names.delete(none.name);
  const llm = standInLLM();
  const named = [...names].map((name) => condenserByName(name, { llm }));
  const described: Condenser[] = [];
  for (const file of config) described.push(await loadCondenserFile(file, { llm: () => llm, defaultLLM: llm }));
  return withOwnNames([...named, ...described]);
}

/** Numbers condensers of the same name for the report: `extractiveSummary`, `extractiveSummary (2)`. */
function withOwnNames(condensers: readonly Condenser[]): readonly Condenser[] {
  const counts = new Map<string, number>();
  return condensers.map((condenser) => {
    const count = (counts.get(condenser.name) ?? 0) + 1;
    counts.set(condenser.name, count);
    return count === 1 ? condenser : renamed(condenser, `${condenser.name} (${count})`);
  });
}

function renamed(condenser: Condenser, name: string): Condenser {
  const { handlesCondensationRequests = false, rewritesEveryStep = false, protects = true } = condenser;
  const condense: Condenser['condense'] = (view, context) => condenser.condense(view, context);
  return { name, handlesCondensationRequests, rewritesEveryStep, protects, condense };
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
    print('Every condenser starts from the uncondensed history, with its default options; what the recorded agent');
    print('condensed is left out. Those that ask a model get a stand-in that answers at once with 150 words. Our time');
    print('is folding, condensing and rendering; it varies with the machine.');
  }
  if (notes.size > 0) print(`Notes while reading: ${[...notes].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
  if (skipped.length > 0) print(`Files without a session: ${skipped.length}`);
  for (const { file, reason } of skipped) print(`  ${file}: ${reason}`);
}
