import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, Conversation, ConversationStateProjection } from '@palimpsest/agent';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { messageViolations } from '@palimpsest/view/testing';
import { expect, onTestFinished, test } from 'vitest';
import { nodeWithFewTests, pathWithNode } from '../test-support/stand-in-node.js';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

const isCommand = (event: Event | null) => event?.type === 'action' && event.toolCall.name === 'run_command';

/**
 * Runs the demo and kills it, with SIGKILL, once its log has so many lines of whole appends, or then only while a command
 * runs. That never ends. Returns those lines.
 */
async function killedRun(directory: string, lines: number, inCommand: boolean): Promise<readonly string[]> {
  const hang = inCommand ? 'case "$1" in --input-type=*) exec sleep 600;; esac; ' : '';
  const PATH = await pathWithNode(hang + nodeWithFewTests, join(directory, 'bin'));
  const env = { ...process.env, PATH };
  const child = spawn(process.execPath, [cli, 'demo', '--log-dir', directory], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const whole = async (): Promise<readonly string[]> => {
    const [name] = (await readdir(directory).catch(() => [])).filter((file) => file.endsWith('.jsonl'));
    if (name === undefined) return [];
    const log = (await readFile(join(directory, name), 'utf8')).split('\n').slice(0, -1);
    // A line that begins with a blank counts only together with the next one: both are of one append.
    return log.slice(0, log.findLastIndex((line) => !line.startsWith(' ')) + 1);
  };
  const isTime = (log: readonly string[]) =>
    log.length >= lines && (!inCommand || isCommand(JSON.parse(log.at(-1) ?? 'null') as Event | null));
  // A pause between looks leaves the processor to the run.
  while (child.exitCode === null && !isTime(await whole())) await delay(10);
  child.kill('SIGKILL');
  await ended;
  return whole();
}

/** Kills a run, goes on with it, and checks that nothing is lost. Returns how many calls were under way when it was killed. */
async function killAndContinue(lines: number, inCommand: boolean): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-killed-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const before = await killedRun(directory, lines, inCommand);
  const store = fileEventStore({ directory });
  const stored: { conversationId: string; version: number }[] = [];
  for await (const each of store.list()) stored.push(each);
  const { conversationId = '', version = 0 } = stored[0] ?? {};
  expect(version).toBeGreaterThanOrEqual(before.length);

  const llm = scriptedLLM({ script: ['Here I stop.'], idPrefix: 'after' });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store, conversationId });
  const events: readonly Event[] = [...conversation.events];
  expect(events.slice(0, before.length).map(({ id }) => id)).toEqual(
    before.map((line) => (JSON.parse(line) as Event).id),
  );
  const { pendingActions } = ConversationStateProjection.fromEvents(events);
  await conversation.send('Where do you stand?');
  expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Here I stop.' });
  const answers = [...conversation.events].slice(version).filter(({ type }) => type === 'agent-error');
  expect(answers).toHaveLength(pendingActions.length);
  for (const answer of answers)
    expect(answer).toMatchObject({ error: expect.stringMatching(/^Interrupted/) as string });
  expect(messageViolations(llm.requests[0]?.messages ?? [])).toEqual([]);
  return pendingActions.length;
}

test('a run that is killed at any moment is gone on with: nothing is lost, and what was under way is answered, not run again', async () => {
  await killAndContinue(9, false);
  // Behind the condensations, which the work takes most of its time to come to.
  if (process.env['PALIMPSEST_THOROUGH'] === 'true') await killAndContinue(130, false);
  expect(await killAndContinue(61, true)).toBeGreaterThan(0);
});
