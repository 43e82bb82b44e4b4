import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { widthOf } from '@palimpsest/terminal';
import { expect, test } from 'vitest';
import { fixture, jsonLines, sessionsAt, withFiles } from '../../test-support/fixtures/fixture-files.js';
import { capturedOutput } from '../../test-support/harness.js';
import { inspectCommand } from './inspect.js';
import type { InspectCommandOptions } from './inspect.js';
import type { Inspection } from './inspection.js';

async function inspected(path: string, options: Partial<InspectCommandOptions> = {}): Promise<Inspection> {
  const { output, text } = capturedOutput();
  await inspectCommand(path, { largest: 10, ...options, json: true }, output);
  return JSON.parse(text()) as Inspection;
}

async function printed(path: string, columns: number, options: Partial<InspectCommandOptions> = {}): Promise<string[]> {
  const { output, text } = capturedOutput(columns);
  await inspectCommand(path, { largest: 10, json: false, ...options }, output);
  return text().split('\n').slice(0, -1);
}

const hostile = 'red \u001b[31mnot\u001b[0m \u009b2J \u202etxt.exe 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字';

/** A log of our own with one condensation: it forgets the first call, masks the second result, and summarises. */
function condensedLog(): readonly Event[] {
  const log = logBuilder();
  const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
  log.system('You repair programs.', { tools });
  log.user('Mend the parser.');
  for (const step of [1, 2, 3])
    log.call('read', { path: `src/${step}.ts` }, `line ${step} ${hostile}\n`.repeat(20 * step));
  const calls = log.events.filter((event) => event.type === 'action');
  const results = log.events.filter((event) => event.type === 'observation');
  const condensation = createEvent('condensation', {
    source: 'agent',
    forgottenEventIds: [calls[0]?.id ?? '', results[0]?.id ?? ''],
    redactions: [{ eventId: results[1]?.id ?? '', text: '(masked)' }],
    summary: `The first file was read. ${hostile}`,
    summaryOffset: 2,
    metadata: { condenser: 'byHand', reason: 'events' },
  });
  log.add(condensation);
  log.agent('The parser is mended.');
  return log.events;
}

const own = jsonLines(condensedLog());

test('a log of our own: the view at the last call, and what its condensation did', async () => {
  await withFiles({ 'own.jsonl': own }, async (folder) => {
    const seen = await inspected(join(folder, 'own.jsonl'));
    expect(seen).toMatchObject({ format: 'palimpsest-jsonl', policy: 'log', modelCall: 4, modelCalls: 4 });
    const kinds = seen.items.map(({ kind, loggedTokens }) => (loggedTokens === undefined ? kind : `${kind} masked`));
    expect(kinds).toEqual(['system', 'user', 'summary', 'call', 'result masked', 'call', 'result']);
    expect(seen.toolDefinitionTokens).toBeGreaterThan(0);
    const [condensation, ...others] = seen.condensations;
    expect(others).toEqual([]);
    expect(condensation).toMatchObject({
      beforeCall: 4,
      condenser: 'byHand',
      reason: 'events',
      forgotten: [
        { kind: 'call', items: 1 },
        { kind: 'result', items: 1 },
      ],
      masked: [{ kind: 'result', items: 1 }],
    });
    // The sizes add up: after = before − forgotten − what the mask saved + the summary.
    const at = (kind: string) => seen.items.filter((item) => item.kind === kind);
    const masked = at('result')[0];
    const forgotten = condensation?.forgotten.reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
    const saved = (masked?.loggedTokens ?? 0) - (masked?.tokens ?? 0);
    expect(saved).toBeGreaterThan(100);
    expect(condensation?.tokensAfter).toBe(
      (condensation?.tokensBefore ?? 0) - forgotten - saved + (at('summary')[0]?.tokens ?? 0),
    );
    expect(seen.tokens.sent).toBe(condensation?.tokensAfter);
    expect(seen.kinds.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(seen.tokens.sent);
  });
});

test('an earlier call is shown as it was then', async () => {
  await withFiles({ 'own.jsonl': own }, async (folder) => {
    const seen = await inspected(join(folder, 'own.jsonl'), { call: 2 });
    expect(seen.items.map(({ kind }) => kind)).toEqual(['system', 'user', 'call', 'result']);
    expect(seen.condensations).toEqual([]);
  });
});

test('a condenser is replayed on the log without its own condensations', async () => {
  await withFiles({ 'own.jsonl': own }, async (folder) => {
    const file = join(folder, 'own.jsonl');
    const masked = await inspected(file, { condenser: 'observationMasking' });
    expect(masked).toMatchObject({ policy: 'observationMasking', condensations: [] });
    expect(masked.items.map(({ kind }) => kind)).not.toContain('summary');
    expect(masked.items).toHaveLength(8);
    const config = join(folder, 'config.toml');
    await writeFile(config, '[condenser]\ntype = "amortizedForgetting"\nmaxSize = 6\nkeepFirst = 1\n');
    const forgot = await inspected(file, { config });
    expect(forgot.condensations.length).toBeGreaterThan(0);
    expect(forgot.condensations[0]?.forgotten.length).toBeGreaterThan(0);
    expect(forgot.items.length).toBeLessThan(8);
  });
});

test('a summary that stands since an earlier condensation is not masked by a later one', async () => {
  const log = logBuilder();
  log.user('Mend the parser.');
  const calls = [1, 2, 3, 4].map((step) => log.call('read', { path: `src/${step}.ts` }, `line ${step}\n`.repeat(9)));
  const forget = (step: number, summary?: string): void => {
    const forgottenEventIds = [calls[step]?.action.id ?? '', calls[step]?.result.id ?? ''];
    const words = summary === undefined ? {} : { summary, summaryOffset: 1 };
    log.add(createEvent('condensation', { source: 'agent', forgottenEventIds, ...words }));
  };
  forget(0, 'The first file was read.');
  forget(1);
  log.agent('Done.');
  await withFiles({ 'own.jsonl': jsonLines(log.events) }, async (folder) => {
    const { condensations, items } = await inspected(join(folder, 'own.jsonl'));
    const summary = items.find(({ kind }) => kind === 'summary');
    expect(condensations[0]).toHaveProperty('summaryTokens', summary?.tokens);
    expect(condensations[1]).not.toHaveProperty('summaryTokens');
    expect(condensations.map(({ masked }) => masked)).toEqual([[], []]);
  });
});

test('recorded usage of the call is shown', async () => {
  const seen = await inspected(fixture('pi-session-jsonl.jsonl'), { call: 1 });
  expect(seen.recordedUsage).toMatchObject({ costUsd: 0.25, usage: { cacheReadTokens: 7 } });
});

test('what a terminal would obey is shown, and no line is wider than the terminal', async () => {
  await withFiles({ 'own.jsonl': own }, async (folder) => {
    for (const columns of [40, 80, 200]) {
      const lines = await printed(join(folder, 'own.jsonl'), columns);
      expect(lines.filter((line) => /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(line))).toEqual([]);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
    }
    const wide = (await printed(join(folder, 'own.jsonl'), 400)).join('\n');
    expect(wide).toContain('\\x1b[31mnot\\x1b[0m');
    expect(wide).toContain('\\u202etxt.exe');
    expect(wide).toMatch(
      /before model call 4 by byHand, because the history had become too long: [\d,]+ → [\d,]+ tokens/,
    );
    expect(wide).toContain('forgot 1 call, 1 result');
    expect(wide).toContain('[masked, was ');
    const { output, text } = capturedOutput();
    await inspectCommand(join(folder, 'own.jsonl'), { largest: 1, json: true }, output);
    expect(text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});

test('a session of every format can be inspected, by itself and with a condenser', async () => {
  const names = readdirSync(fixture('.')).filter((name) => /\.jsonl?$/.test(name));
  for (const name of names) {
    const [session] = await sessionsAt(fixture(name));
    const options = { session: session?.name ?? '' };
    for (const condenser of [undefined, 'extractiveSummary']) {
      const lines = await printed(fixture(name), 60, { ...options, ...(condenser === undefined ? {} : { condenser }) });
      expect(lines[0], name).toContain('model call');
      expect(lines.filter((line) => widthOf(line) > 60)).toEqual([]);
    }
  }
});

test('a call or a session that is not there is an error that says what there is', async () => {
  await expect(inspected(fixture('pi-session-jsonl.jsonl'), { call: 9 })).rejects.toThrow(/has 3 model calls/);
  await expect(inspected(fixture('intercode.json'))).rejects.toThrow(
    /several sessions; name one with --session:\n {2}1 {2}/,
  );
  await expect(inspected(fixture('intercode.json'), { session: 'x' })).rejects.toThrow(/no session 'x'/);
  expect((await inspected(fixture('intercode.json'), { session: '1' })).modelCalls).toBeGreaterThan(0);
  await expect(inspected(fixture('pi-session-jsonl.jsonl'), { condenser: 'nosuch' })).rejects.toThrow(/nosuch/);
});
