import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTrials } from './read-trials.js';

async function folderOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trials-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const line = {
  type: 'trial',
  task: 'constants-1',
  family: 'constants',
  arm: 'none',
  trial: 1,
  solved: true,
  agent: { name: 'agent' },
};

/** A result as Harbor writes it, with what this program does not need. */
function harborResult(task: string, attempt: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: '7f1f2c56-7f3e-4d53-9a3e-0d6f0b0c1f10',
    task_name: task,
    trial_name: `${task}__${attempt}`,
    trial_uri: `file:///jobs/${attempt}`,
    task_id: { path: `tasks/${task}` },
    source: null,
    task_checksum: 'c0ffee',
    config: {
      task: { path: `tasks/${task}` },
      trial_name: attempt,
      agent: { name: 'claude-code', kwargs: {}, env: {} },
    },
    agent_info: { name: 'claude-code', version: '2.1.0', model_info: { name: 'model', provider: 'provider' } },
    agent_result: {
      n_input_tokens: 1_000,
      n_cache_tokens: 900,
      n_output_tokens: 50,
      cost_usd: 0.25,
      rollout_details: null,
      metadata: null,
    },
    verifier_result: { rewards: { reward: 1 } },
    exception_info: null,
    started_at: '2026-05-01T10:00:00.000000',
    finished_at: '2026-05-01T10:05:00.000000',
    agent_execution: { started_at: '2026-05-01T10:01:00.500000Z', finished_at: '2026-05-01T10:03:00.500000Z' },
    ...more,
  };
}

test('lines are read, what they lack is taken from receipts, and a line without an end is left out', async () => {
  const usage = { uncachedInputTokens: 10, cacheReadTokens: 90, cacheWriteTokens: 0, outputTokens: 5 };
  const prices = { input: 1, cacheRead: 0.1, cacheWrite: 1, output: 10 };
  const folder = await folderOf({
    'results.jsonl': [
      JSON.stringify({ ...line, costUsd: 7, receipts: 'receipts/1' }),
      JSON.stringify({ ...line, arm: 'balanced', receipts: 'receipts/2' }),
      '{"type":"tri',
    ].join('\n'),
    'receipts/1/a-b.jsonl': `${JSON.stringify({ status: 200, usage, prices })}\n`,
  });
  const [first, second] = await readTrials([folder]);
  expect(first).toMatchObject({ costUsd: 7, steps: 1, tokens: { cacheRead: 90 } });
  expect(second).toMatchObject({ arm: 'balanced' });
  expect(second).not.toHaveProperty('steps');
});

test('what is no result is an error that names the line; a trial that is there twice, too', async () => {
  const folder = await folderOf({
    'bad.jsonl': `${JSON.stringify(line)}\n${JSON.stringify({ ...line, trial: 0 })}\n`,
    'one.jsonl': `${JSON.stringify(line)}\n`,
    'two.jsonl': `${JSON.stringify(line)}\n`,
  });
  const file = (name: string): string => join(folder, `${name}.jsonl`);
  await expect(readTrials([file('bad')])).rejects.toThrow(/bad\.jsonl:2': [^]*trial/);
  await expect(readTrials([file('one'), file('two')])).rejects.toThrow(/ARM=PATH/);
  await expect(readTrials([file('none')])).rejects.toThrow(/ENOENT/);
  expect((await readTrials([file('one'), `other=${file('two')}`])).map(({ arm }) => arm)).toEqual(['none', 'other']);
});

test("a folder of Harbor's job is an arm, its attempts are numbered, and an exception is not a solved task", async () => {
  const folder = await folderOf({
    'job/result.json': { id: 'job', stats: {} },
    'job/config.json': {},
    'job/a__2/result.json': harborResult('a', '2', { started_at: '2026-05-01T11:00:00Z', verifier_result: null }),
    'job/a__1/result.json': harborResult('a', '1'),
    'job/b__1/result.json': harborResult('b', '1', {
      agent_result: null,
      verifier_result: { rewards: { tests: 1, style: 0.5 } },
      exception_info: {
        exception_type: 'AgentTimeoutError',
        exception_message: '',
        exception_traceback: '',
        occurred_at: '2026-05-01T10:03:00',
      },
    }),
  });
  const trials = await readTrials([join(folder, 'job')]);
  expect(trials).toEqual([
    expect.objectContaining({ task: 'a', arm: 'job', trial: 1, solved: true, costUsd: 0.25, wallMs: 120_000 }),
    expect.objectContaining({ task: 'b', trial: 1, solved: false, stopped: 'AgentTimeoutError', costUsd: undefined }),
    expect.objectContaining({ task: 'a', trial: 2, solved: false }),
  ]);
  expect(trials[0]).toMatchObject({ tokens: { uncachedInput: 100, cacheRead: 900, output: 50 }, model: 'model' });
  expect((await readTrials([`ours=${join(folder, 'job')}`]))[0]?.arm).toBe('ours');
});

test("agents with different settings in one of Harbor's jobs are no arm", async () => {
  const agent = { agent: { name: 'claude-code', env: { ANTHROPIC_BASE_URL: 'http://localhost:4000' } } };
  const folder = await folderOf({
    'a__1/result.json': harborResult('a', '1'),
    'a__2/result.json': harborResult('a', '2', { config: agent }),
    'b__1/result.json': harborResult('b', '1'),
  });
  await expect(readTrials([folder])).rejects.toThrow(/job of its own/);
});
