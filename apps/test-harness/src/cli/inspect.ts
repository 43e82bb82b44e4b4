import { coloursFor, cutToWidth, linePrinter, printableLine, printableJson, widthOf } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import type { Condenser } from '@palimpsest/view';
import { reasonText } from '@palimpsest/view/inspect';
import { HarnessError } from '../harness-error.js';
import { readSessions } from '../import/index.js';
import type { Session } from '../import/index.js';
import { textCounter } from '../measure/tokens.js';
import type { TextCounter } from '../measure/tokens.js';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import { parsePolicies } from '../replay/policy.js';
import { inspectionOf, logPolicy } from './inspection.js';
import type { InspectedCondensation, InspectedItem, Inspection, ItemKind, KindTotal } from './inspection.js';

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

/** The stream that a command writes to, with its width. */
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
  const inspection = await inspectionOf(session, { count, call, condenser, contextWindow });
  if (options.json) {
    await print(printableJson(inspection));
    return;
  }
  const width = output.columns ?? widthOfFiles;
  for (const line of inspectionLines(inspection, width, coloursFor(output), options.largest)) await print(line);
}

/** Returns the condenser of the options; `undefined` for the condensations of the log. */
async function condenserOf(
  { condenser, config }: InspectCommandOptions,
  count: TextCounter,
): Promise<Condenser | undefined> {
  if (condenser === undefined && config === undefined) return undefined;
  const [none, policy, ...others] = await parsePolicies({
    condenser: condenser === undefined ? [] : [condenser],
    config: config === undefined ? [] : [config],
  });
  if (others.length > 0)
    throw new HarnessError('inspect', 'Several condensers are named, and one can be shown at a time.');
  return (policy ?? none)?.create(stubSummarizer(count).llm);
}

/** Returns the session of a log, or the one that is named. */
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
      `'${path}' has no session${skipped === undefined ? '' : `: ${printableLine(skipped.reason)}`}.`,
    );
  }
  const shown = names.slice(0, 20).map((name, index) => `\n  ${index + 1}  ${printableLine(name)}`);
  const more = names.length > shown.length ? `\n  and ${names.length - shown.length} more` : '';
  const problem = wanted === undefined ? 'has several sessions' : `has no session '${printableLine(wanted)}'`;
  throw new HarnessError('inspect', `'${path}' ${problem}; name one with --session:${shown.join('')}${more}`);
}

/**
 * Formats the inspection as lines for a terminal. Nothing of the log is obeyed by the terminal, and no line is longer than the
 * width.
 *
 * @param width - Unit: columns.
 * @param largest - the number of the largest items that are listed
 */
function inspectionLines(inspection: Inspection, width: number, colours: Colours, largest: number): readonly string[] {
  const title = (text: string): string => colours.bold(cutToWidth(text, width));
  const line = (text: string): string => cutToWidth(text, width);
  const { condensations, items } = inspection;
  return [
    ...heading(inspection).map((text, index) => (index === 0 ? title(text) : line(text))),
    '',
    title(`Tokens by kind (${inspection.tokenUnit})`),
    ...kindLines(inspection, width),
    '',
    title(condensations.length === 0 ? 'No condensation' : `Condensations: ${condensations.length}`),
    ...condensations.flatMap((condensation) => condensationLines(condensation, width)),
    ...inspection.errors.map((error) => colours.red(line(`failed: ${printableLine(error)}`))),
    '',
    title('Largest items'),
    ...itemLines(largestOf(items, largest), width, colours),
    '',
    title(`View: ${count(items.length, ['item', 'items'])}`),
    ...itemLines(items, width, colours),
  ];
}

function heading(inspection: Inspection): readonly string[] {
  const { session, format, modelCall, modelCalls, policy, tokens, toolDefinitionTokens, recordedUsage } = inspection;
  const where = modelCall === undefined ? 'no model call, the whole log' : `model call ${modelCall} of ${modelCalls}`;
  const decided = policy === logPolicy ? 'as the log has it' : `replayed with ${printableLine(policy)}`;
  const unlogged = inspection.kinds.some(({ kind }) => kind === 'system') ? '' : '; the log has no system prompt';
  const lines = [
    `${printableLine(session)} (${format}): ${where}`,
    `${decided}: ${number(tokens.sent)} tokens sent of ${number(tokens.logged)} logged${unlogged}`,
  ];
  if (toolDefinitionTokens > 0) lines.push(`and ${number(toolDefinitionTokens)} tokens of tool definitions`);
  if (recordedUsage !== undefined) {
    const { usage, model, costUsd, expectedCacheReadTokens } = recordedUsage;
    const input = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const expected =
      expectedCacheReadTokens === undefined
        ? ''
        : ` of ${number(expectedCacheReadTokens)} that the cache should have read`;
    const cost = costUsd === undefined ? '' : `, ${costUsd.toFixed(4)} USD`;
    lines.push(
      `recorded by ${printableLine(model)}: ${number(input)} tokens of input (${number(usage.cacheReadTokens)} cached${expected}), ${number(usage.outputTokens)} of output${cost}`,
    );
  }
  return lines;
}

function kindLines({ kinds, tokens }: Inspection, width: number): readonly string[] {
  const bar = Math.max(0, Math.min(40, width - 42));
  return kinds.map((total) => {
    const share = tokens.sent === 0 ? 0 : total.tokens / tokens.sent;
    const text = `  ${total.kind.padEnd(12)}${number(total.items).padStart(7)}${number(total.tokens).padStart(11)}${percent(share).padStart(6)}  `;
    return cutToWidth(`${text}${'█'.repeat(Math.round(share * bar))}`, width);
  });
}

function condensationLines(condensation: InspectedCondensation, width: number): readonly string[] {
  const { beforeCall, tokensBefore, tokensAfter, condenser, reason, summary, summaryTokens } = condensation;
  const by = condenser === undefined ? '' : ` by ${printableLine(condenser)}`;
  const why = reason === undefined ? '' : `, because ${printableLine(reasonText(reason))}`;
  const lines = [
    `  before model call ${beforeCall}${by}${why}: ${number(tokensBefore)} → ${number(tokensAfter)} tokens`,
    ...changeLine('forgot', condensation.forgotten),
    ...changeLine('masked', condensation.masked),
  ];
  const size = summaryTokens === undefined ? '' : ` (${number(summaryTokens)} tokens)`;
  if (summary !== undefined) lines.push(`    summary${size}: ${printableLine(summary)}`);
  return lines.map((text) => cutToWidth(text, width));
}

function changeLine(verb: string, totals: readonly KindTotal[]): readonly string[] {
  if (totals.length === 0) return [];
  const tokens = totals.reduce((sum, total) => sum + total.tokens, 0);
  const kinds = totals.map((total) => count(total.items, kindNames[total.kind])).join(', ');
  return [`    ${verb} ${kinds} (${number(tokens)} tokens)`];
}

/** Returns the largest items, the largest first. */
function largestOf(items: readonly InspectedItem[], most: number): readonly InspectedItem[] {
  return [...items].sort((one, other) => other.tokens - one.tokens || one.position - other.position).slice(0, most);
}

function itemLines(items: readonly InspectedItem[], width: number, colours: Colours): readonly string[] {
  const positions = Math.max(1, ...items.map(({ position }) => String(position).length));
  return items.map((item) => {
    const head = `${String(item.position).padStart(positions + 2)}  ${item.kind.padEnd(11)} ${number(item.tokens).padStart(8)}  `;
    const mark = markOf(item);
    const tool = item.kind === 'result' && item.tool !== undefined ? `${printableLine(item.tool)}: ` : '';
    const text = cutToWidth(
      `${mark}${tool}${printableLine(item.text.slice(0, 4 * width))}`,
      Math.max(1, width - widthOf(head)),
    );
    return cutToWidth(head, width) + (mark === '' ? text : colours.dim(text));
  });
}

function markOf({ leftOut, loggedTokens }: InspectedItem): string {
  if (leftOut !== undefined) return `[not sent: ${printableLine(leftOut)}] `;
  return loggedTokens === undefined ? '' : `[masked, was ${number(loggedTokens)}] `;
}

/** The names of items of a kind, one and many. */
const kindNames: Readonly<Record<ItemKind, readonly [string, string]>> = {
  system: ['system prompt', 'system prompts'],
  summary: ['summary', 'summaries'],
  user: ['user message', 'user messages'],
  environment: ['message of the environment', 'messages of the environment'],
  agent: ['agent message', 'agent messages'],
  call: ['call', 'calls'],
  result: ['result', 'results'],
};

function count(items: number, [one, many]: readonly [string, string]): string {
  return `${number(items)} ${items === 1 ? one : many}`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
