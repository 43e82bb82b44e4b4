import { fileURLToPath } from 'node:url';
import { observationMaskingCondenser, pricedCondenser } from '@palimpsest/condensers';
import {
  addressOf,
  eventFactory,
  isLLMConvertible,
  isSentRole,
  isToolResult,
  messageContent,
  toolResultContent,
  wellFormedPart,
} from '@palimpsest/events';
import type { Event, LLMConvertibleEvent, Tool, ToolContext, ToolOutput } from '@palimpsest/events';
import { recallTool } from '@palimpsest/relevance-tool';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordedSessions } from '../test-support/recorded-sessions.js';
import { tight } from '../test-support/tight-condensers.js';
import { readSessions } from './import/index.js';
import { modelCalls } from './import/log/model-calls.js';

/**
 * What a condenser hides, recall reaches: by the address that a mask names, and by words and paths of the text, without the test
 * telling the tool what is hidden. Hidden is what does not stand in the messages that a model would be sent.
 */

/** So many hidden texts of each session are asked for, spread over it. */
const asked = process.env['PALIMPSEST_LONG_RUNS'] === undefined ? 3 : 6;
const pageTokens = 2_000;
/** `npm test` takes some of the generated logs, clean and dirty ones, CI's thorough run all. */
const seeds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 12 : 4;

interface Session {
  readonly name: string;
  readonly events: readonly Event[];
}

/** A session at its end, as a host with this condenser has logged it and shows it. */
interface Ended {
  readonly log: readonly Event[];
  readonly view: View;
  readonly recall: Tool;
}

const sessions: Session[] = [];

beforeAll(async () => {
  const corpus = fileURLToPath(new URL('../../../corpus', import.meta.url));
  for await (const { name, events } of readSessions(corpus)) sessions.push({ name, events });
  for (let seed = 1; seed <= seeds; seed++) {
    const { name, events } = randomLog({ seed, dirty: seed % 2 === 0, length: 120 });
    sessions.push({ name, events });
  }
});

describe('recall reaches what is hidden', () => {
  test.each(Object.keys(tight))('%s', { timeout: 600_000 }, async (name) => {
    let [texts, paths] = [0, 0];
    const lost: string[] = [];
    for (const session of sessions) {
      const reached = await reach(session, tight[name]?.create() as Condenser);
      texts += reached.texts;
      paths += reached.paths;
      lost.push(...reached.lost);
    }
    expect(lost).toEqual([]);
    if (name !== 'browserOutput') expect(texts).toBeGreaterThan(sessions.length);
    console.log(
      `${name}: ${sessions.length} sessions, ${texts} hidden texts, ${paths} paths, ${lost.length} unreachable`,
    );
  });
});

const recorded = process.env['PALIMPSEST_TRAJECTORIES'];

describe.skipIf(recorded === undefined)('masks of recorded sessions', () => {
  const masks = () => observationMaskingCondenser({ maskArguments: true });
  test.each([
    ['in batches', masks],
    ['when it pays', () => pricedCondenser({ stages: [masks()], prices: { read: 0.1, write: 1.25 } })],
  ])(
    '%s: what their notes print stands in the original, and recall reaches the rest',
    { timeout: 600_000 },
    async (_, create) => {
      let [notes, named, texts] = [0, 0, 0];
      const lost: string[] = [];
      for await (const session of recordedSessions(recorded ?? '', 70)) {
        const reached = await reach(session, create(), maskedIn);
        notes += reached.notes;
        named += reached.named;
        texts += reached.texts;
        lost.push(...reached.lost);
      }
      expect(lost).toEqual([]);
      expect(texts).toBeGreaterThan(10);
      expect(notes).toBeGreaterThan(50);
      expect(named).toBeGreaterThan(50);
      console.log(`${texts} hidden texts asked for; ${notes} notes name ${named} paths`);
    },
  );
});

/** Asks for a part of what a condenser hides in a session, and checks its notes. */
async function reach(session: Session, condenser: Condenser, hidden = hiddenOf) {
  const lost: string[] = [];
  let [texts, paths, notes, named] = [0, 0, 0, 0];
  const ended = await atTheEnd(session.events, condenser);
  for (const event of spread(hidden(ended), asked)) {
    texts++;
    const original = textOf(event);
    const whole = await pages({ address: addressOf(event.id) }, ended);
    expect(whole.text, `${session.name}, ${event.id}: ${whole.heading}`).toBe(original);
    const query = lineOf(event.type === 'action' ? event.toolCall.arguments : original);
    if (!(await finds({ query }, event, ended))) lost.push(`${session.name} ${event.id}: ${lineOf(original)}`);
    for (const path of spread(pathsIn(original), 2)) {
      paths++;
      if (!(await finds({ path }, event, ended))) lost.push(`${session.name} ${event.id}: path ${path}`);
    }
  }
  for (const event of ended.view.events) {
    const found = pathsInNote(event, ended);
    if (found === undefined) continue;
    notes++;
    named += found;
  }
  return { lost, texts, paths, notes, named };
}

/** Replays a session as a host would, appending what the condenser decides. */
async function atTheEnd(events: readonly Event[], condenser: Condenser): Promise<Ended> {
  const projection = new ViewProjection();
  const log: Event[] = [];
  const append = (event: Event): void => {
    projection.append(event);
    log.push(event);
  };
  let number = 0;
  const createEvent = eventFactory({ newId: () => `reach-${++number}`, now: () => new Date(0) });
  let [folded, view] = [0, projection.view];
  for (const end of [...modelCalls(events), events.length]) {
    for (; folded < end; folded++) append(events[folded] as Event);
    const host = {
      get view() {
        return projection.view;
      },
      append,
    };
    view = await condenseUntilSettled(condenser, host, { createEvent });
  }
  return { log, view, recall: recallTool({ condenser, pageTokens }) };
}

/** The results, messages and calls whose text the model is not sent. */
function hiddenOf({ log, view }: Ended): readonly LLMConvertibleEvent[] {
  const sent = JSON.stringify(view.toMessages());
  const seen = new Set<string>();
  return log.filter((event): event is LLMConvertibleEvent => {
    if (!isLLMConvertible(event) || event.type === 'system-prompt' || seen.has(event.id)) return false;
    seen.add(event.id);
    // A message in a role that this version does not know is never sent.
    if (event.type === 'message' && !isSentRole(event.role)) return false;
    const text = event.type === 'action' ? event.toolCall.arguments : textOf(event);
    return lineOf(text).length >= 12 && !sent.includes(JSON.stringify(text).slice(1, -1));
  });
}

/** The results and calls that masks hide, as they were logged. */
function maskedIn({ view }: Ended): readonly LLMConvertibleEvent[] {
  return view.events.slice().flatMap((event) => {
    const original = 'redacted' in event && event.redacted === true ? view.original(event.id) : undefined;
    return original !== undefined && original !== event && isLLMConvertible(original) ? [original] : [];
  });
}

function textOf(event: LLMConvertibleEvent): string {
  if (isToolResult(event)) return joined(toolResultContent(event));
  switch (event.type) {
    case 'message':
      return joined(messageContent(event));
    case 'action':
      return joined(
        [...event.thought, { type: 'text' as const, text: `${event.toolCall.name}(${event.toolCall.arguments})` }].map(
          wellFormedPart,
        ),
      );
    case 'condensation-summary':
      return event.summary;
    default:
      return '';
  }
}

function joined(parts: readonly { readonly type: string; readonly text?: unknown }[]): string {
  return parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n');
}

/** The longest line of a text, cut as a model would cut it. */
function lineOf(text: string): string {
  const lines = text.split('\n').sort((a, b) => b.length - a.length);
  return (lines[0] ?? '').trim().slice(0, 120).trim();
}

function pathsIn(text: string): readonly string[] {
  return [...new Set(text.match(/(?<![\w./@:-])\/?[\w-]+(?:\/[\w-]+)+\.[a-z]{1,4}(?![\w/.-])/g) ?? [])];
}

function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  return items.filter((_, index) => index % Math.ceil(items.length / count) === 0);
}

interface Found {
  readonly text: string;
  /** The addresses of its entries. */
  readonly found: ReadonlySet<string>;
}

/** All pages of an answer as one text, or those up to the one that is enough. */
async function pages(input: object, { log, recall }: Ended, isEnough?: (found: Found) => boolean) {
  const byId = new Map(log.toReversed().map((event) => [event.id, event]));
  const context: ToolContext = {
    actionId: 'asking',
    toolCallId: 'asking',
    log,
    event: (id) => byId.get(id),
    append: () => Promise.reject(new Error('recall appends nothing')),
  };
  let [text, heading] = ['', ''];
  const found = new Set<string>();
  for (let page = 1, last = 1; page <= last; page++) {
    const output = (await recall.execute(recall.parseInput({ ...input, page }), context)) as Exclude<
      ToolOutput,
      string
    >;
    const all = typeof output.content === 'string' ? output.content : joined(output.content);
    const end = all.indexOf('\n');
    heading = end === -1 ? all : all.slice(0, end);
    text += end === -1 ? '' : all.slice(end + 1);
    last = Number(output.details?.['pages'] ?? 1);
    for (const [, address] of `\n${heading}\n${text}`.matchAll(/\n(?:== |- )(?:mentioned in )?(\w{8}): /g))
      found.add(address ?? '');
    if (isEnough?.({ text, found }) === true) break;
  }
  return { text, heading, found };
}

/** A short call is found with its result, whose description holds it. */
async function finds(input: object, event: LLMConvertibleEvent, ended: Ended): Promise<boolean> {
  const isFound = ({ found, text }: Found): boolean =>
    found.has(addressOf(event.id)) || (event.type === 'action' && text.includes(textOf(event).replaceAll(/\s+/g, ' ')));
  return isFound(await pages(input, ended, isFound));
}

/**
 * How many paths a note has: whatever looks like one stands whole in what the note hides, and the note names its address. Undefined
 * for an event that no note hides.
 */
function pathsInNote(event: LLMConvertibleEvent, { log, view }: Ended): number | undefined {
  if (!('redacted' in event) || event.redacted !== true) return undefined;
  const original = view.original(event.id);
  const isOurs = !log.some((logged) => logged.id === event.id && 'redacted' in logged && logged.redacted === true);
  if (original === undefined || !isLLMConvertible(original) || !isOurs) return undefined;
  const note = isToolResult(event) ? textOf(event) : event.type === 'action' ? event.toolCall.arguments : '';
  if (!note.includes(isToolResult(event) ? '[Old ' : '[hidden later')) return undefined;
  expect(note).toContain(`address ${addressOf(event.id)}`);
  const call = isToolResult(original) && original.actionId !== undefined ? view.original(original.actionId) : original;
  const source = `${textOf(original)}\n${call?.type === 'action' ? call.toolCall.arguments : ''}`;
  const paths = pathsIn(note);
  for (const path of paths) expect(standsWhole(path, source), `${event.id}: ${path}`).toBe(true);
  return paths.length;
}

/** Whether a path stands in a text, and not as a part of a longer one. */
function standsWhole(path: string, text: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const isPartBefore = at > 0 && /[\w/]/.test(text[at - 1] ?? '') && !/\\[nrt]$/.test(text.slice(at - 2, at));
    if (!isPartBefore && !/[\w/]/.test(text[at + path.length] ?? '')) return true;
  }
  return false;
}
