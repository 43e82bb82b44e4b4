import { createHash } from 'node:crypto';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { codingSession } from '../../test-support/demo-sessions.js';
import { priceRows } from '../measure/money.js';
import { reportCondensers } from './named-policy.js';
import { parsePolicies } from './policy.js';
import { replaySessions } from './replay.js';
import type { ReplayedSession } from './replayed-session.js';
import { namedPolicy, pricedPolicy, replayOfSession, sessionsOfText } from './replay-text.js';

const entry = fileURLToPath(new URL('replay-text.ts', import.meta.url));
const text = codingSession(60, 1)
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

async function* blocks(): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += 1_000) yield text.slice(start, start + 1_000);
}

/** Our time differs from run to run. */
const untimed = (session: ReplayedSession): unknown => ({
  ...session,
  replays: session.replays.map((replay) => ({ ...replay, milliseconds: 0 })),
});

test('what replays a text needs no module of Node', async () => {
  const builtins: string[] = [];
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    conditions: ['@palimpsest/source'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'builtins',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path }) => {
            if (!isBuiltin(path)) return undefined;
            builtins.push(path);
            return { path, external: true };
          });
        },
      },
    ],
  });
  const [output] = Object.values(metafile.outputs);
  // What no code reaches is not in the output.
  expect(output?.imports.map(({ path }) => path)).toEqual([]);
  expect(builtins).toEqual([]);
  expect(Object.keys(metafile.inputs).some((file) => file.endsWith('measure/refusals.ts'))).toBe(true);
});

describe('a text', () => {
  test('is replayed as the command replays its file', async () => {
    const { sessions, skipped } = await sessionsOfText({ file: 'work/log.jsonl', blocks });
    expect(skipped).toEqual([]);
    expect(sessions.map(({ name, format }) => [name, format])).toEqual([['log.jsonl', 'palimpsest-jsonl']]);
    const [session] = sessions;
    if (session === undefined) throw new Error('there is no session');
    const policies = await parsePolicies({ condenser: reportCondensers, config: [] });
    const asked: string[] = [];
    const { replayed, timeline } = await replayOfSession(session, {
      policies: ['none', ...reportCondensers].map(namedPolicy),
      prices: priceRows,
      withTimeline: true,
      onPolicy: (name) => asked.push(name),
    });
    expect(asked).toEqual(['none', ...reportCondensers]);
    expect(timeline?.policies.map(({ policy }) => policy)).toEqual(asked);
    async function* only() {
      yield* sessions;
    }
    for await (const expected of replaySessions(only(), { policies })) {
      expect(untimed(replayed)).toEqual(untimed(expected));
    }
  });

  test('with the sizes of its preset `priced` is what it is without', async () => {
    const { sessions } = await sessionsOfText({ file: 'log.jsonl', blocks });
    const [session] = sessions;
    if (session === undefined) throw new Error('there is no session');
    const policies = [
      namedPolicy('priced'),
      pricedPolicy({ targetTokens: 12_000, maxLineTokens: 7_500 }),
      pricedPolicy({ targetTokens: 4_000, maxLineTokens: 1_000 }),
    ];
    const { replayed } = await replayOfSession(session, { policies, prices: priceRows });
    const sent = replayed.replays.map(({ tokensByCall }) =>
      createHash('sha256').update(JSON.stringify(tokensByCall)).digest('hex'),
    );
    expect(sent[1]).toBe(sent[0]);
    expect(sent[2]).not.toBe(sent[0]);
  });

  test('of no known format is refused with the formats that are known', async () => {
    async function* prose(): AsyncGenerator<string> {
      yield 'this is no log';
    }
    await expect(sessionsOfText({ file: 'prose.txt', blocks: prose })).rejects.toThrow(/claude-code-jsonl/);
  });
});
