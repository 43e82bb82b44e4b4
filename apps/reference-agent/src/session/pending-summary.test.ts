import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Conversation } from '@palimpsest/agent';
import { parseEvent, usageSchema } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import { expect, onTestFinished, test } from 'vitest';
import { calls, chatServer, says, toolCall } from '../../test-support/chat-server.js';
import type { ChatServerOptions } from '../../test-support/chat-server.js';
import { eventsOf, headlessRig } from '../../test-support/headless-rig.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import { pendingSummary } from './pending-summary.js';

const steps = 4;
const isSummary = (body: object): boolean => !('tools' in body);

/** A model that reads a few files and is done. Its summary of them is held until it is let go. */
function slowSummary() {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  onTestFinished(letGo);
  let summaries = 0;
  let answers = 0;
  const reply: ChatServerOptions['reply'] = async (body) => {
    if (!isSummary(body)) {
      const step = answers++;
      return step < steps ? calls(null, toolCall('read_file', { path: `${step}.txt` }, `call_${step}`)) : says('Done.');
    }
    summaries++;
    await held;
    return says('FILES WERE READ.');
  };
  return { reply, letGo, summaries: () => summaries };
}

const files = {
  ...Object.fromEntries(Array.from({ length: steps }, (_, step) => [`${step}.txt`, `${step} `.repeat(300)])),
  'own.toml':
    '[condenser]\ntype = "llmSummarizing"\nmaxSize = 10\nkeepFirst = 1\nbackground = true\nmodelCall = { extendsAgentRequest = false }\n',
};

test('a run waits at its end for a summary in the background: its cost is in the result, and resume reads it', async () => {
  const { reply, letGo, summaries } = slowSummary();
  const server = await chatServer({ reply });
  const rig = await headlessRig(files, { model: 'local', baseUrl: server.baseURL });
  const config = join(rig.workspace, 'own.toml');
  const onOutput = (text: string): void => (text.includes('"Done."') ? letGo() : undefined);
  const ran = await rig.run({ print: 'Read.', config }, { onOutput });
  const [result] = eventsOf(ran, 'result');
  expect(result).toMatchObject({ status: 'done', answer: 'Done.', condensations: 1, steps: steps + 1 });
  const log = (await readFile(result?.log ?? '', 'utf8')).trimEnd().split('\n');
  const { metadata } = parseEvent(JSON.parse(log.at(-1) ?? '')) as Condensation;
  const { outputTokens } = usageSchema.parse(metadata?.['usage']);
  const asked = eventsOf(ran, 'usage').reduce((sum, { usage }) => sum + usage.outputTokens, 0);
  expect(outputTokens).toBeGreaterThan(0);
  expect(result?.usage.outputTokens).toBe(asked + outputTokens);

  const resumed = await rig.resume(result?.session, { print: 'And now?', config });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('FILES WERE READ.');
  expect(summaries()).toBe(1);
  const [{ usage } = { usage: undefined }] = eventsOf(resumed, 'usage');
  expect(eventsOf(resumed, 'result')).toMatchObject([{ condensations: 0, steps: 1, usage }]);
});

test('a run that is interrupted while it waits tells its result, and what it waited for', async () => {
  const { reply } = slowSummary();
  const server = await chatServer({ reply });
  const rig = await headlessRig(files, { model: 'local', baseUrl: server.baseURL });
  const interruption = new AbortController();
  const ran = await rig.run(
    { print: 'Read.', config: join(rig.workspace, 'own.toml') },
    {
      signal: interruption.signal,
      onOutput: (text) => (text.includes('A summary is being written') ? interruption.abort() : undefined),
    },
  );
  expect(ran.status).toBe(0);
  expect(ran.events.slice(-2)).toMatchObject([
    { type: 'note', text: expect.stringContaining('30 seconds at most') as string },
    { type: 'result', status: 'done', condensations: 0 },
  ]);
});

test('the wait has an end', async () => {
  const { reply, letGo } = slowSummary();
  const rig = await interactiveRig({ reply }, files);
  const talked = await rig.open({ config: join(rig.workspace, 'own.toml') });
  await talked.said('Read.');
  const conversation = talked.session.opened?.conversation;
  if (!(conversation instanceof Conversation)) throw new Error('It is open.');
  const { signal } = new AbortController();
  const before = conversation.events.length;
  await pendingSummary(conversation, { signal, onWait: () => undefined, graceMs: 1 });
  expect(conversation.events.length).toBe(before);
  letGo();
});

test('a session that rests puts a summary into its log as soon as it is there', async () => {
  const { reply, letGo } = slowSummary();
  const rig = await interactiveRig({ reply }, files);
  const talked = await rig.open({ config: join(rig.workspace, 'own.toml') });
  await talked.said('Read.');
  letGo();
  await talked.until((event) => event.type === 'logged' && event.event.type === 'condensation');
});

test('a session that is closed waits for a summary, and is told so; closed again it does not', async () => {
  for (const isClosedAgain of [false, true]) {
    const { reply, letGo } = slowSummary();
    const rig = await interactiveRig({ reply }, files);
    const talked = await rig.open({ config: join(rig.workspace, 'own.toml') });
    await talked.said('Read.');
    const { conversation } = talked.session.opened ?? {};
    const closed = talked.session.close();
    await talked.until(({ type }) => type === 'notice');
    expect(talked.session.state).toMatchObject({ type: 'working', phase: 'condensing' });
    if (isClosedAgain) void talked.session.close();
    else letGo();
    await closed;
    expect(conversation?.events.at(-1)?.type === 'condensation').toBe(!isClosedAgain);
  }
});
