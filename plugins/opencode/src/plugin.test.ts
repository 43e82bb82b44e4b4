import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { answer, loopOf, toolPart, userMessage } from '../test-support/host-lists.js';
import { messageIn, published } from './bus.js';
import type { Ask } from './bus.js';
import type { HostClient } from './facts.js';
import plugin from './index.js';
import type { HostMessage } from './list/host.js';
import { hooksOf } from './plugin.js';
import type { Hooks } from './plugin.js';

const costs = { input: 5, output: 25, cache: { read: 0.5, write: 6.25 } };
const opus = { api: { id: 'claude-opus-4-5' }, cost: costs, limit: { context: 200_000, output: 64_000 } };
const providers = [{ id: 'anthropic', models: { 'claude-opus-4-5': opus } }];
const agents = [
  { name: 'build', permission: [{ permission: '*', pattern: '*', action: 'allow' }] },
  { name: 'explore', permission: [{ permission: '*', pattern: '*', action: 'deny' }] },
];

function clientOf(changes: Partial<HostClient> = {}) {
  const said: unknown[] = [];
  const client: HostClient = {
    config: { providers: async () => ({ data: { providers } }) },
    app: { agents: async () => ({ data: agents }) },
    tui: { publish: async ({ body }) => said.push(body) },
    _client: { get: async () => ({ data: { healthy: true, version: '9.9.9' } }) },
    ...changes,
  };
  return { client, said };
}

async function folder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-opencode-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const optionsOf = (directory: string) => ({
  preset: undefined,
  maxTokens: undefined,
  problems: [],
  isOn: true,
  directory,
});

/** A session of opencode: objects are fresh at each request, ids stay, and each answer says what was counted. */
function sessionOf(
  hooks: Hooks,
  list: HostMessage[] = [userMessage('Read the files of the shop, and keep each price.')],
) {
  let read = 0;
  const transform = async () => {
    const output = { messages: structuredClone(list) };
    await hooks['experimental.chat.messages.transform']({}, output);
    return output.messages;
  };
  return {
    list,
    transform,
    /** A step of the agent: a request, and its answer with a result. Returns what was sent. */
    step: async (step: number) => {
      const sent = await transform();
      const size = 7_000 + Math.ceil(JSON.stringify(sent.map(({ parts }) => parts)).length / 8);
      const tokens = {
        input: 0,
        output: 20,
        reasoning: 0,
        cache: { read: Math.min(read, size), write: Math.max(0, size - read) },
      };
      read = size;
      const output = Array.from({ length: 120 }, (_, line) => `export const price${step}_${line} = ${step * line};`);
      const state = { input: { filePath: `/shop/part${step}.ts` }, output: output.join('\n') };
      list.push(answer([toolPart(`call_${step}`, state)], { tokens }));
      return sent;
    },
  };
}

async function stepsOf(session: ReturnType<typeof sessionOf>, from: number, to: number): Promise<HostMessage[]> {
  let sent: HostMessage[] = [];
  for (let step = from; step < to; step++) sent = await session.step(step);
  return sent;
}

async function ask(hooks: Hooks, said: readonly unknown[], question: Omit<Ask, 'id' | 'sessionID'>) {
  const id = `ask ${said.length}`;
  const event = published('ask', { ...question, id, sessionID: 'ses_1' });
  await hooks.event({ event });
  return said.flatMap((one) => messageIn('answer', one) ?? []).find((one) => one.id === id)?.text;
}

it('condenses a long session in place, and says so', async () => {
  const { client, said } = clientOf();
  const hooks = hooksOf(client, optionsOf(await folder()));
  const session = sessionOf(hooks);
  const sent = await stepsOf(session, 1, 60);

  expect(sent.length).toBeLessThan(45);
  expect(sent[0]?.parts).toMatchObject(session.list[0]?.parts ?? []);
  expect(JSON.stringify(session.list)).toContain('price3_7 = 21');
  expect(said.map((one) => messageIn('status', one)).findLast((one) => one !== undefined)).toMatchObject({
    sessionID: 'ses_1',
    text: expect.stringMatching(/^[\d.]+k held · [\d.]+k sent · \d+ % saved$/) as string,
  });
  const page = await ask(hooks, said, { verb: 'condensed' });
  expect(page).toMatch(/condensations? in this session.*\$\d+\.\d\d saved/);
  expect(page).toContain('opencode 9.9.9 was not tested with this plugin: 1.18.33 was.');
});

it('goes on in another process as it was', async () => {
  const directory = await folder();
  const here = sessionOf(hooksOf(clientOf().client, optionsOf(directory)));
  const before = await stepsOf(here, 1, 60);
  const there = sessionOf(hooksOf(clientOf().client, optionsOf(directory)), here.list);
  const after = await there.transform();
  const parts = (list: readonly HostMessage[]) => JSON.stringify(list.map((one) => one.parts));
  expect(parts(after.slice(0, before.length))).toBe(parts(before));
});

it('answers recall with what was hidden', async () => {
  const hooks = hooksOf(clientOf().client, optionsOf(await folder()));
  const session = sessionOf(hooks);
  const sent = await stepsOf(session, 1, 60);
  const results = (list: readonly HostMessage[]) =>
    list.flatMap(({ parts }) => parts.flatMap((part) => part.state ?? []));
  expect(JSON.stringify(results(sent))).not.toContain('price3_7 = 21');

  const { output } = (await hooks.tool['recall']?.execute({ query: 'price3_7' }, { sessionID: 'ses_1' })) ?? {};
  expect(output).toContain('price3_7 = 21');
  const definition: { jsonSchema?: unknown } = {};
  await hooks['tool.definition']({ toolID: 'recall' }, definition);
  expect(definition.jsonSchema).toMatchObject({ type: 'object' });
  expect(definition.jsonSchema).not.toHaveProperty('required');
});

it('condenses when asked, takes it back for the named price, and is turned off and on', async () => {
  const { client, said } = clientOf();
  const hooks = hooksOf(client, optionsOf(await folder()));
  const session = sessionOf(hooks);
  await stepsOf(session, 1, 12);

  expect(await ask(hooks, said, { verb: 'undo-price' })).toBeUndefined();
  expect(await ask(hooks, said, { verb: 'condense', focus: 'price3' })).toMatch(/^Condensed: /);
  expect((await session.transform()).length).toBeLessThan(session.list.length);
  expect(await ask(hooks, said, { verb: 'undo-price' })).toMatch(/written again, once for \$/);
  expect(await ask(hooks, said, { verb: 'undo' })).toMatch(/^Taken back/);
  expect(await session.transform()).toEqual(session.list);

  expect(await ask(hooks, said, { verb: 'condense' })).toMatch(/^Condensed: /);
  expect(await ask(hooks, said, { verb: 'switch' })).toContain('off');
  expect(await ask(hooks, said, { verb: 'status' })).toBe('off');
  expect(await session.transform()).toEqual(session.list);
  expect(await ask(hooks, said, { verb: 'switch' })).toContain('on');
  expect((await session.transform()).length).toBeLessThan(session.list.length);
});

it("gives opencode's own compaction the session whole, unless that is too long", async () => {
  const hooks = hooksOf(clientOf().client, optionsOf(await folder()));
  const session = sessionOf(hooks);
  await stepsOf(session, 1, 60);
  const sent = await session.transform();
  expect(sent.length).toBeLessThan(session.list.length);

  await hooks['experimental.session.compacting']({ sessionID: 'ses_1' });
  expect(await session.transform()).toEqual(session.list);
  expect(await session.transform()).toEqual(sent);

  const tight = { ...opus, limit: { context: 60_000, output: 20_000 } };
  const models = [{ id: 'anthropic', models: { 'claude-opus-4-5': tight } }];
  const { client } = clientOf({ config: { providers: async () => ({ data: { providers: models } }) } });
  const small = hooksOf(client, optionsOf(await folder()));
  const long = sessionOf(small);
  await stepsOf(long, 1, 60);
  await small['experimental.session.compacting']({ sessionID: 'ses_1' });
  expect((await long.transform()).length).toBeLessThan(long.list.length);
});

it('names no recall to an agent that has none', async () => {
  const hooks = hooksOf(clientOf().client, optionsOf(await folder()));
  const first = userMessage('Look for prices.');
  const session = sessionOf(hooks, [{ ...first, info: { ...first.info, agent: 'explore' } }]);
  const sent = await stepsOf(session, 1, 60);
  expect(sent.length).toBeLessThan(45);
  expect(JSON.stringify(sent)).not.toContain('recall');
});

it('leaves what it does not know as it is', async () => {
  const hooks = hooksOf(clientOf().client, optionsOf(await folder()));
  const transform = hooks['experimental.chat.messages.transform'];
  for (const messages of [
    undefined,
    'text',
    [],
    [null],
    [{ info: {}, parts: [] }],
    [{ role: 'user', content: 'Go.' }],
  ]) {
    const output = { messages: structuredClone(messages) };
    await transform({}, output);
    expect(output.messages).toEqual(messages);
  }
  await hooks.event({ event: null });
  await hooks.event({ event: { type: 'tui.command.execute', properties: { command: 'palimpsest.ask {' } } });
});

it.each([
  ['the log cannot be written', {}, true],
  [
    'opencode does not say what its models are',
    { config: { providers: () => Promise.reject(new Error('no')) } },
    false,
  ],
  ['the terminal cannot be told', { tui: { publish: () => Promise.reject(new Error('no terminal')) } }, false],
])('ends nothing where %s', async (_, changes, hasBadFolder) => {
  const directory = await folder();
  const file = join(directory, 'file');
  await writeFile(file, '');
  const { client, said } = clientOf(changes);
  const hooks = hooksOf(client, optionsOf(hasBadFolder ? file : directory));
  const session = sessionOf(hooks);
  const sent = await stepsOf(session, 1, 60);
  if (hasBadFolder) {
    expect(sent).toEqual(session.list.slice(0, -1));
    expect(await ask(hooks, said, { verb: 'status' })).toMatch(/^no condensation (?:for \d+ steps|in this session): /);
  } else expect(sent.length).toBeLessThan(45);
});

it('has the shape that opencode loads, and reads its options', async () => {
  const hooks = await plugin.server(clientOf(), { directory: await folder(), enabled: false, preset: 'none' });
  const session = sessionOf(hooks, loopOf(30));
  expect(await session.transform()).toEqual(session.list);
  expect(plugin.id).toBe('palimpsest');
});
