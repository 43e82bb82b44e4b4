import type { Condenser } from '@palimpsest/view';
import { readSessions } from './import/index.js';
import type { Session } from './import/index.js';
import { HarnessError } from './harness-error.js';
import { inspectedLog } from './inspect/inspected-log.js';
import { inspectionOf } from './inspect/inspection.js';
import { inspectionLines } from './inspect/inspection-lines.js';
import { policiesOf } from './replay/policies-of.js';
import { standIn } from './replay/stand-in-llm.js';
import { textCounter } from './replay/token-counter.js';
import type { TextCounter } from './replay/token-counter.js';
import { tokenUnit } from './replay/token-unit.js';
import { coloursFor } from '@palimpsest/terminal';
import { linePrinter } from '@palimpsest/terminal';
import { onOneLine, shownJson } from '@palimpsest/terminal';

/** Options of `palimpsest-harness inspect`, as the command line gives them. */
export interface InspectCommandOptions {
  readonly call?: number;
  readonly condenser?: string;
  /** A file that describes a condenser. */
  readonly config?: string;
  readonly contextWindow?: number;
  /** The name of the session, or its number, for a log of several. */
  readonly session?: string;
  readonly largest: number;
  readonly json: boolean;
}

/** Where the command writes, and how wide that is. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** The width of lines that no terminal shows. Unit: columns. */
const widthOfFiles = 160;

/**
 * Prints what a model was sent at a call of a session.
 *
 * @throws {@link HarnessError} `inspect` when the log has no such session or call; the errors of {@link readSessions} and of loading a
 *   condenser.
 */
export async function inspectCommand(
  path: string,
  options: InspectCommandOptions,
  output: Output = process.stdout,
): Promise<void> {
  const count = textCounter();
  const print = linePrinter(output);
  const condenser = await condenserOf(options, count);
  const session = await sessionOf(path, options.session);
  const { call, contextWindow } = options;
  const log = await inspectedLog(session, { call, condenser, contextWindow });
  const inspection = inspectionOf(log, { count, tokenUnit });
  if (options.json) {
    await print(shownJson(inspection));
    return;
  }
  const width = output.columns ?? widthOfFiles;
  const lines = inspectionLines(inspection, { width, colours: coloursFor(output), largest: options.largest });
  for (const line of lines) await print(line);
}

/** The condenser of the options; `undefined` for the condensations of the log. */
async function condenserOf(
  { condenser, config }: InspectCommandOptions,
  count: TextCounter,
): Promise<Condenser | undefined> {
  if (condenser === undefined && config === undefined) return undefined;
  const [none, policy, ...others] = await policiesOf({
    condenser: condenser === undefined ? [] : [condenser],
    config: config === undefined ? [] : [config],
  });
  if (others.length > 0)
    throw new HarnessError('inspect', 'Several condensers are named, and one can be shown at a time.');
  return (policy ?? none)?.create(standIn(count).llm);
}

/** The session of a log, or the one that is named. */
async function sessionOf(path: string, wanted: string | undefined): Promise<Session> {
  const names: string[] = [];
  let found: Session | undefined;
  const reader = readSessions(path);
  for await (const session of reader) {
    names.push(session.name);
    if (wanted === undefined || wanted === session.name || wanted === String(names.length)) found ??= session;
    if (found !== undefined && wanted !== undefined) return found;
  }
  if (found !== undefined && names.length === 1) return found;
  if (names.length === 0) {
    const [skipped] = reader.skipped;
    throw new HarnessError(
      'inspect',
      `'${path}' has no session${skipped === undefined ? '' : `: ${onOneLine(skipped.reason)}`}.`,
    );
  }
  const shown = names.slice(0, 20).map((name, index) => `\n  ${index + 1}  ${onOneLine(name)}`);
  const more = names.length > shown.length ? `\n  and ${names.length - shown.length} more` : '';
  const problem = wanted === undefined ? 'has several sessions' : `has no session '${onOneLine(wanted)}'`;
  throw new HarnessError('inspect', `'${path}' ${problem}; name one with --session:${shown.join('')}${more}`);
}
