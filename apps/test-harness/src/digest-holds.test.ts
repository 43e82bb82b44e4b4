import { fileURLToPath } from 'node:url';
import { digestCondenser } from '@palimpsest/condensers';
import { addressOf, estimateTextTokens, isToolResult, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, Event, LLMConvertibleEvent } from '@palimpsest/events';
import {
  isCondensation,
  keptEventIds,
  newestStep,
  NoCondensationAvailableError,
  ViewProjection,
} from '@palimpsest/view';
import type { Reducer, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { extent, recordedSessions } from '../test-support/recorded-sessions.js';
import { readSessions } from './import/index.js';
import { modelCalls } from './import/log/model-calls.js';

// What the digest promises, checked after each condensation of a replay by readers that share nothing with it: they
// keep the content of files as the log tells it, and look each line up in the log.

const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
const recorded = process.env['PALIMPSEST_TRAJECTORIES'];

/** Sessions of all sizes condense: a small target from 6,000 tokens on, the usual one from 30,000 on. */
const sizes = [
  { from: 6_000, targetTokens: 3_000, maxFactTokens: 500, maxLineTokens: 1_800 },
  { from: 30_000, targetTokens: 12_000, maxFactTokens: 1_200, maxLineTokens: 7_500 },
];
/** A shorter line may stand anywhere. Unit: characters. */
const shortest = 15;
const ansi = /\u001B\[[\d;?]*[A-Za-z]/g;

function textOf(event: Event): string {
  switch (event.type) {
    case 'message':
    case 'observation':
      return event.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    case 'user-reject-observation':
      return event.rejectionReason;
    case 'agent-error':
      return event.error;
    case 'action':
      return [
        ...event.thought.map((part) => (part.type === 'text' ? part.text : '')),
        ...stringsOf(argumentsOf(event)),
      ].join('\n');
    default:
      return '';
  }
}

function argumentsOf({ toolCall }: ActionEvent): unknown {
  return parsed(toolCall.arguments) ?? toolCall.arguments;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

/** The trimmed lines of a text, also of one that a runtime has framed as JSON, without printed numbers. */
function linesOf(text: string): string[] {
  const frame = text.startsWith('{"output":') ? parsed(text) : undefined;
  const framed = stringsOf((frame as { readonly output?: unknown } | undefined)?.output);
  return [text, ...framed].flatMap((each) =>
    each
      .replaceAll(ansi, '')
      .split(/\r(?!\n)|\n/)
      .flatMap((line) => [
        line.trim(),
        line.replace(/^ *\d+(?:\t|→| ?\| |: )/, '').trim(),
        line.replace(/^\+/, '').trim(),
      ]),
  );
}

const pathNames = ['file_path', 'path', 'filePath', 'notebook_path', 'filename'];
const oldNames = ['old_string', 'old_str', 'oldText', 'oldString'];
const newNames = ['new_string', 'new_str', 'newText', 'newString'];
const wholeNames = ['content', 'file_text', 'contents'];

interface Change {
  readonly path: string;
  readonly pairs: readonly (readonly [string, string])[];
  readonly whole?: string | undefined;
}

function named(object: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  return names.map((name) => object[name]).find((value): value is string => typeof value === 'string');
}

/** What a call changes, as far as a plain reader of its arguments sees. */
function changesOf(action: ActionEvent): readonly Change[] {
  const value = argumentsOf(action);
  const patch = stringsOf(value).find((text) => text.startsWith('*** Begin Patch'));
  if (patch !== undefined) return changesOfPatch(patch);
  if (typeof value !== 'object' || value === null) return [];
  const object = value as Readonly<Record<string, unknown>>;
  const path = named(object, pathNames);
  if (path === undefined) return [];
  const edits = Array.isArray(object['edits']) ? (object['edits'] as Readonly<Record<string, unknown>>[]) : [object];
  const pairs = edits.flatMap((edit) => {
    const old = named(edit, oldNames);
    return old === undefined || old === '' ? [] : [[old, named(edit, newNames) ?? ''] as const];
  });
  const isWhole = /^(?:write|create)/i.test(action.toolCall.name) || object['command'] === 'create';
  return [{ path, pairs, whole: isWhole ? named(object, wholeNames) : undefined }];
}

function changesOfPatch(patch: string): readonly Change[] {
  return patch
    .split(/^\*\*\* (?=Update File: )/m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n');
      const pairs = lines.flatMap((line) =>
        line.startsWith('-') && line.trim().length > shortest ? [[line.slice(1), ''] as const] : [],
      );
      return { path: head.replace('Update File: ', '').trim(), pairs };
    });
}

/** The pieces of each file that the log has shown or written, with each replacement made in them. */
class FilesOfLog {
  readonly #pieces = new Map<string, string[]>();
  /** The lines that a change has taken, by file. */
  readonly #gone = new Map<string, Map<string, number>>();
  readonly #newest = new Map<string, number>();

  constructor(view: View, events: readonly Event[]) {
    for (const [place, event] of events.entries()) {
      if (event.type === 'action') {
        const result = view.resultOf(event.id);
        const changes = changesOf(event).filter(({ pairs, whole }) => pairs.length > 0 || whole !== undefined);
        if (changes.length === 0) continue;
        if (result === undefined || /error|fail|no replacement|not found|reject/i.test(textOf(result).slice(0, 300)))
          continue;
        for (const change of changes) this.#change(change, place);
      } else if (isToolResult(event)) {
        const call = view.callOf(event.id);
        for (const line of linesOf(textOf(event))) this.#newest.set(line, place);
        const [change] = call === undefined || event.type !== 'observation' ? [] : changesOf(call);
        if (change !== undefined && change.pairs.length === 0 && change.whole === undefined)
          this.#add(change.path, linesOf(textOf(event)).join('\n'));
      }
    }
  }

  #add(path: string, text: string): void {
    this.#pieces.set(path, [...(this.#pieces.get(path) ?? []), text]);
  }

  #change({ path, pairs, whole }: Change, place: number): void {
    const before = new Set(this.#linesOf(path));
    const pieces = this.#pieces.get(path) ?? [];
    this.#pieces.set(
      path,
      whole === undefined
        ? [
            ...pieces.map((piece) =>
              pairs.reduce((text, [old, put]) => text.split(trimmedLines(old)).join(trimmedLines(put)), piece),
            ),
            ...pairs.map(([, put]) => trimmedLines(put)),
          ]
        : [trimmedLines(whole)],
    );
    const after = new Set(this.#linesOf(path));
    const gone = this.#gone.get(path) ?? new Map<string, number>();
    for (const line of before) if (!after.has(line)) gone.set(line, place);
    this.#gone.set(path, gone);
    for (const line of after) if (!before.has(line)) this.#newest.set(line, place);
  }

  #linesOf(path: string): string[] {
    return (this.#pieces.get(path) ?? []).flatMap((piece) => piece.split('\n'));
  }

  /** Returns true for a line that was taken from a file, and that nothing has shown since. */
  isGone(path: string, line: string): boolean {
    const place = this.#gone.get(path)?.get(line);
    return place !== undefined && (this.#newest.get(line) ?? -1) < place && !this.#linesOf(path).includes(line);
  }
}

function trimmedLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

interface Excerpt {
  readonly address: string;
  readonly lines: readonly string[];
}

function excerptsOf(summary: string): readonly Excerpt[] {
  const quoted = /<excerpts>\n([^]*)\n<\/excerpts>$/.exec(summary)?.[1];
  if (quoted === undefined) return [];
  const excerpts: { address: string; lines: string[] }[] = [];
  for (const line of quoted.split('\n')) {
    const address = /^== .*\(([0-9a-z]{8})\)$/.exec(line)?.[1];
    if (address !== undefined) excerpts.push({ address, lines: [] });
    else if (line !== '…') excerpts.at(-1)?.lines.push(line);
  }
  return excerpts;
}

const stateWords =
  /file state is current|updated successfully|has been updated|token count|tokens (?:left|remaining)|created successfully|successfully (?:edited|replaced|wrote)|updated the following files|tool use was rejected/i;

function check(log: readonly Event[], before: View, after: View, targetTokens: number, where: string): void {
  const made = log.at(-1);
  if (made === undefined || !isCondensation(made)) throw new Error('no condensation');
  const summary = made.summary ?? '';
  const excerpts = excerptsOf(summary);
  const byAddress = new Map(log.map((event) => [addressOf(event.id), event]));
  const files = new FilesOfLog(before, log);
  const inLog = new Set(log.flatMap((event) => linesOf(textOf(event))));
  const shown = (event: Event): string =>
    event.type !== 'condensation-summary'
      ? textOf(event)
      : event.summary === summary
        ? (summary.split('<excerpts>')[0] ?? '')
        : event.summary;
  const inView = new Set(after.events.flatMap((event) => linesOf(shown(event))));
  const faults: string[] = [];
  for (const { address, lines } of excerpts) {
    const event = byAddress.get(address);
    if (event === undefined) faults.push(`no event has the address ${address}`);
    const call = event?.type === 'action' ? event : event && before.callOf(event.id);
    const path = call && changesOf(call)[0]?.path;
    for (const line of lines) {
      const key = line.trim();
      if (!inLog.has(key)) faults.push(`not in the log: ${line}`);
      if (stateWords.test(key) && isWordOfTool(log, key)) faults.push(`a tool's word: ${line}`);
      if (key.length < shortest) continue;
      if (inView.has(key)) faults.push(`in view: ${line}`);
      if (path !== undefined && files.isGone(path, key)) faults.push(`taken from ${path}: ${line}`);
    }
  }
  expect(faults, where).toEqual([]);

  const said = log.filter((event) => isUserMessage(event as LLMConvertibleEvent)).map((event) => textOf(event).trim());
  const room = targetTokens / 3;
  const words = estimateTextTokens(said.join('\n')) + said.length * 8;
  if (words <= room) {
    const read = after.events.map((event) => shown(event)).join('\n');
    for (const text of said)
      expect(read.includes(text) || read.includes(text.replaceAll(/\s+/g, ' ')), `${where}: the user's ${text}`).toBe(
        true,
      );
  }

  const kept = keptEventIds(after);
  const newest = newestStep(after).cutPoint;
  const summaryAt = after.events.findLastIndex(({ type }) => type === 'condensation-summary');
  const still = after.events.reduce(
    (sum, event, index) =>
      index >= newest || kept.has(event.id) || index < summaryAt ? sum + after.tokens(index, index + 1) : sum,
    0,
  );
  expect(after.tokens(), `${where}: the size of the view`).toBeLessThanOrEqual(
    (targetTokens + room + still) * 1.05 + 200,
  );
}

/** Returns true unless the line stands in what an agent has written or a file holds. */
function isWordOfTool(log: readonly Event[], key: string): boolean {
  return log.some((event) => event.type === 'observation' && textOf(event).slice(0, 600).includes(key));
}

async function replay(events: readonly Event[], name: string): Promise<number> {
  let condensations = 0;
  for (const { from, ...options } of sizes) {
    const condenser = digestCondenser({ maxSize: 100_000, keepFirst: 2, ...options }) as Reducer;
    const projection = new ViewProjection();
    const log: Event[] = [];
    const append = (event: Event): void => {
      log.push(event);
      projection.append(event);
    };
    let next = 0;
    for (const [step, end] of [...modelCalls(events), events.length].entries()) {
      while (next < end) append(events[next++] as Event);
      const before = projection.view;
      if (before.tokens() < from) continue;
      try {
        const made = await condenser.reduce(before, {});
        if (!isCondensation(made)) continue;
        append(made);
        condensations++;
        check(log, before, projection.view, options.targetTokens, `${name}, step ${step}, ${options.targetTokens}`);
      } catch (error) {
        if (!NoCondensationAvailableError.isInstance(error)) throw error;
      }
    }
  }
  return condensations;
}

test('the corpus', { timeout: 120_000 }, async () => {
  let condensations = 0;
  for await (const { name, events } of readSessions(corpus))
    condensations += await replay(withoutCondensations(events), name);
  expect(condensations).toBeGreaterThan(10);
});

test.skipIf(recorded === undefined)(`real sessions: ${extent}`, { timeout: 1_200_000 }, async () => {
  let condensations = 0;
  for await (const { name, events } of recordedSessions(recorded ?? '', 60)) {
    condensations += await replay(withoutCondensations(events), name);
  }
  expect(condensations).toBeGreaterThan(20);
});

function withoutCondensations(events: readonly Event[]): readonly Event[] {
  return events.filter(
    ({ type }) => type !== 'condensation' && type !== 'condensation-request' && type !== 'condensation-revert',
  );
}
