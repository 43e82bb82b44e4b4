import { describe, expect, it, vi } from 'vitest';
import { newDisk, TestEngine } from '../test-support/engine.js';
import { fileText, said, stepRows } from '../test-support/session.js';
import type { CompactInput, CompactResult, Engine } from './host.js';

const options = { asksEarly: true };
const fixedTokens = 12_000;
const size = (rows: unknown) => Math.ceil(JSON.stringify(rows).length / 4);

/** The mod in a new environment: all that it knows is on the disk. */
async function newMod() {
  vi.resetModules();
  const { compact, afterFailure } = await import('./compaction.js');
  const { meterStep, meterRequest, meterAbort, statusTail } = await import('./session.js');
  const { condensedCommand, recallCall } = await import('./commands.js');
  return { compact, afterFailure, meterStep, meterRequest, meterAbort, statusTail, condensedCommand, recallCall };
}

type Mod = Awaited<ReturnType<typeof newMod>>;
let mod: Mod = await newMod();

const ask = ($: Engine, event: CompactInput, next: (event: CompactInput) => Promise<CompactResult>) =>
  mod.compact($, event, next, options);

/** A session in which each step reads a file, and the engine asks from 67,000 tokens on. Returns the steps at which we have answered. */
async function run(engine: TestEngine, steps: number, from = 0, chars = 12_000): Promise<readonly number[]> {
  const answered: number[] = [];
  if (engine.rows.length === 0) engine.rows = [said('user', 'Read the files of the shop. Never change a test.')];
  let cached = 0;
  for (let step = from; step < from + steps; step++) {
    const input = fixedTokens + size(engine.rows);
    if (input > 67_000 && (await engine.compact(ask)).messages !== undefined) answered.push(step);
    const sent = fixedTokens + size(engine.rows);
    const read = Math.min(cached, sent);
    engine.tokens = sent + 50;
    const usage = {
      input_tokens: 0,
      output_tokens: 50,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: sent - read,
    };
    await mod.meterStep(engine.$, { model: 'claude-opus-5-5' }, { stopReason: 'tool_use', usage });
    cached = sent;
    engine.rows = [...engine.rows, ...stepRows(step, chars)];
  }
  return answered;
}

describe('a long session', () => {
  it('is condensed several times, and the set-up and the newest steps stay', async () => {
    const engine = new TestEngine();
    const answered = await run(engine, 75);
    expect(answered.length).toBeGreaterThanOrEqual(3);
    expect(engine.handedOn).toBe(0);
    expect(engine.rows[0]?.text).toContain('Never change a test.');
    expect(JSON.stringify(engine.rows.slice(-8))).toContain('file-74');
    const page = await mod.condensedCommand(engine.$, options);
    expect(page).toContain(`${answered.length} condensations in this session`);
    // Each digest is one of the originals, not of an earlier digest.
    expect(JSON.stringify(engine.rows)).not.toContain('an earlier digest');
  });

  it('goes on in a new environment, and recall reaches what went first', async () => {
    const disk = newDisk();
    const engine = new TestEngine(disk);
    await run(engine, 40);
    mod = await newMod();
    const call = { tool: 'mcp__palimpsest__recall', tool_use_id: 'x', agentId: undefined, path: '/shop/src/file-2.ts' };
    expect(JSON.stringify(await mod.recallCall(engine.$, options, call as never))).toContain('price2 = 2.5');
    const again = await run(engine, 25, 40);
    expect(again.length).toBeGreaterThan(0);
    const other = { ...call, path: '/shop/src/file-45.ts' };
    expect(JSON.stringify(await mod.recallCall(engine.$, options, other as never))).toContain('price45 = 45.5');
    expect([...disk.files.keys()].filter((path) => path.includes('/palimpsest/main/')).length).toBeGreaterThan(2);
  });
});

describe('what the engine asks', () => {
  it('is skipped while to read on is cheaper, and while it only prepares', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    expect(await engine.compact(ask)).toEqual({ skip: expect.stringContaining('cheaper') as string });
    expect((await engine.compact(ask, { trigger: 'precompute' })).messages).toBeUndefined();
    expect(engine.handedOn).toBe(0);
  });

  it('is answered for a person, with a focus', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    const before = size(engine.rows);
    const said = await mod.statusTail(engine.$, options);
    await engine.compact(ask, { trigger: 'manual', instructions: 'price3' });
    expect(size(engine.rows)).toBeLessThan(before / 2);
    const [held, sent] = (
      /(\d+)k held · (\d+)k sent/.exec((await mod.statusTail(engine.$, options)) ?? '') ?? []
    ).slice(1);
    expect(said).toBeUndefined();
    expect(Number(sent)).toBeLessThan(Number(held) / 2);
    expect(engine.handedOn).toBe(0);
  });

  it('is answered at the limit that the person would have had without us, or handed on', async () => {
    const engine = new TestEngine();
    engine.window = 70_000;
    await run(engine, 10);
    expect((await engine.compact(ask)).messages).toBeDefined();
    engine.rows = [said('user', fileText(1, 200_000))];
    engine.tokens = 60_000;
    await engine.compact(ask);
    expect(engine.handedOn).toBe(1);
  });

  it('is answered where the provider has refused the request in between', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    expect((await engine.compact(ask)).messages).toBeUndefined();
    expect((await engine.compact(ask)).messages).toBeDefined();
  });

  it('is answered where a request got no answer, but not where a person has stopped it', async () => {
    const [refused, stopped] = [new TestEngine(), new TestEngine()];
    for (const engine of [refused, stopped]) {
      await run(engine, 3);
      await mod.meterRequest(engine.$, { model: 'claude-opus-5-5' });
    }
    await mod.meterAbort(stopped.$, { model: 'claude-opus-5-5' });
    expect((await refused.compact(ask)).messages).toBeDefined();
    expect((await stopped.compact(ask)).messages).toBeUndefined();
  });

  it('is left to the engine where rows have an unknown shape', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    engine.rows = [...engine.rows, { role: 'system', text: 'A new kind.' } as never];
    expect((await engine.compact(ask)).messages).toBeUndefined();
    await engine.compact(ask, { trigger: 'manual' });
    expect(engine.handedOn).toBe(1);
  });
});

describe('images', () => {
  const image = { type: 'image', source: {} };
  const resultOf = (step: number) => ({ type: 'tool_result', tool_use_id: `toolu_${step}`, content: [image] });

  it('in the newest steps put a condensation off, below the limit', async () => {
    const engine = new TestEngine();
    await run(engine, 30, 0, 7_000);
    engine.api = [{ role: 'user', content: [resultOf(28)] }];
    const rows = engine.rows;
    expect(await run(engine, 3, 30, 7_000)).toEqual([]);
    expect(engine.rows.slice(0, rows.length)).toEqual(rows);
  });

  it('are named where they went', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    engine.api = [
      { role: 'user', content: [resultOf(2)] },
      { role: 'user', content: [resultOf(8)] },
    ];
    await engine.compact(ask, { trigger: 'manual' });
    const text = JSON.stringify(engine.rows);
    expect(text).toContain('an image (/shop/src/file-2.ts)');
    expect(text).toContain('an image (/shop/src/file-8.ts)');
  });
});

describe('a failure', () => {
  const none = { failures: 0, stepsLeft: 0 };
  const fail = ($: Engine, event: CompactInput, next: (event: CompactInput) => Promise<CompactResult>) =>
    mod.afterFailure($, event, next);

  it('leaves the rows as they are below the limit, and the person to the engine', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    expect((await engine.compact(fail)).skip).toContain('failed');
    expect(engine.handedOn).toBe(0);
    await engine.compact(fail, { trigger: 'manual' });
    expect(engine.handedOn).toBe(1);
  });

  it('that ended the environment is remembered by the next one', async () => {
    const engine = new TestEngine();
    await run(engine, 10);
    engine.disk.store.set(`boundary:${engine.sessionId}/main`, { own: none, session: none, isTrying: true });
    mod = await newMod();
    expect(await run(engine, 12, 10)).toEqual([]);
    expect(await mod.condensedCommand(engine.$, options)).toContain('did not answer');
    expect(engine.handedOn).toBe(0);
  });
});
