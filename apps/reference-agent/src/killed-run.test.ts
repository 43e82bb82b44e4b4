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

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/**
 * Runs the demo and kills it, with SIGKILL, once its log has so many lines of whole appends; every other time only while a command
 * runs, which is the longest call. Returns those lines.
 */
async function killedRun(directory: string, lines: number, inCommand: boolean): Promise<readonly string[]> {
  const child = spawn(process.execPath, [cli, 'demo', '--log-dir', directory], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const whole = async (): Promise<readonly string[]> => {
    const [name] = (await readdir(directory).catch(() => [])).filter((file) => file.endsWith('.jsonl'));
    if (name === undefined) return [];
    const log = (await readFile(join(directory, name), 'utf8')).split('\n').slice(0, -1);
    // A line that begins with a blank counts only together with the next one: both are of one append.
    return log.slice(0, log.findLastIndex((line) => !line.startsWith(' ')) + 1);
  };
  const isTime = (log: readonly string[]) =>
    log.length >= lines && (!inCommand || /"type":"action".*"name":"run_command"/.test(log.at(-1) ?? ''));
  // A pause between looks leaves the processor to the run.
  while (child.exitCode === null && !isTime(await whole())) await delay(2);
  child.kill('SIGKILL');
  await ended;
  return whole();
}

test(
  'a run that is killed at any moment is gone on with: nothing is lost, and what was under way is answered, not run again',
  { timeout: 300_000 },
  async () => {
    let wasUnderWay = 0;
    for (const [index, lines] of [9, 61, 130].entries()) {
      const directory = await mkdtemp(join(tmpdir(), 'palimpsest-killed-'));
      onTestFinished(() => rm(directory, { recursive: true }));
      const before = await killedRun(directory, lines, index % 2 === 1);
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
      wasUnderWay += pendingActions.length;
      await conversation.send('Where do you stand?');
      expect(await conversation.run()).toMatchObject({ status: 'finished', answer: 'Here I stop.' });
      const answers = [...conversation.events].slice(version).filter(({ type }) => type === 'agent-error');
      expect(answers).toHaveLength(pendingActions.length);
      for (const answer of answers)
        expect(answer).toMatchObject({ error: expect.stringMatching(/^Interrupted/) as string });
      expect(messageViolations(llm.requests[0]?.messages ?? [])).toEqual([]);
    }
    expect(wasUnderWay).toBeGreaterThan(0);
  },
);
