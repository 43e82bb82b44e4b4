import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import { ScriptedModel } from '../../test-support/scripted-model.js';
import { twoTurnReply } from '../../test-support/two-turns.js';
import { typedCommands } from '../../test-support/typed-commands.js';
import { findSession, listSessions } from '../session/session.js';
import type { CommandSurface } from './command.js';
import { slashCommands, runTypedCommand, typedCommand } from './index.js';

/** Two turns: the first one writes a.txt, the second one changes it, writes new.txt and runs a command. */
async function twoTurns() {
  const rig = await interactiveRig({ reply: twoTurnReply('new.txt') }, { 'a.txt': 'before\n' });
  const talked = await rig.open({ yolo: true });
  await talked.said('First.');
  await talked.said('Second.');
  const text = (path: string) => readFile(join(rig.workspace, path), 'utf8');
  return { rig, talked, screen: typedCommands(talked.session), text };
}

test('/rewind shows the plan, asks, brings files back and goes on in a fork; the message is in the input line', async () => {
  const { rig, talked, screen, text } = await twoTurns();
  const id = talked.session.opened?.session.id;
  screen.answer('Second.', 'no');
  const plan = await screen.type('/rewind');
  expect(plan).toContain('would be restored: a.txt');
  expect(plan).toContain('would be deleted: new.txt');
  expect(plan).toContain('not undone: what a command did');
  expect(plan).toContain('Nothing was changed.');
  expect(await text('a.txt')).toBe('second\n');
  expect(screen.asked[0]?.items.map(({ detail }) => detail)).toEqual([
    '2 files written since, 1 command run',
    '2 files written since, 1 command run',
  ]);

  screen.answer('Second.', 'yes');
  const said = await screen.type('/rewind');
  expect(await text('a.txt')).toBe('first\n');
  await expect(text('new.txt')).rejects.toThrow('ENOENT');
  expect(screen.input).toBe('Second.');
  const fork = talked.session.opened?.session.id;
  expect(fork).not.toBe(id);
  expect(said).toContain(`session ${id} stays as it is`);
  await talked.said('Other.');
  const body = JSON.stringify(rig.server.requests.at(-1)?.body);
  expect(body).toContain('First.');
  expect(body).toContain('Other.');
  expect(body).not.toContain('Second.');

  // Back to the session that stayed as it was.
  expect(await screen.type(`/resume ${id}`)).toBe('');
  expect(talked.session.opened?.session.id).toBe(id);
  expect(talked.session.opened?.conversation.events.slice().some(({ type }) => type === 'action')).toBe(true);
  expect(await screen.type(`/resume ${id}`)).toContain('open already');
  expect(await screen.type('/resume nothing')).toContain("There is no session 'nothing'");
  await screen.type('/resume new');
  expect(talked.session.opened?.conversation.events.length).toBe(0);
});

test('/rewind leaves what another hand has changed, unless that is to be lost', async () => {
  const { rig, screen, text } = await twoTurns();
  await writeFile(join(rig.workspace, 'a.txt'), 'mine\n');
  screen.answer('Second.', 'no');
  expect(await screen.type('/rewind')).toContain('changed since, outside of the session');
  expect(await text('a.txt')).toBe('mine\n');
  expect(screen.asked.at(-1)?.title).toContain('1 file changed outside of this session');
  screen.answer('Second.', 'force');
  await screen.type('/rewind');
  expect(await text('a.txt')).toBe('first\n');
});

test('/model: another one goes on, a wrong one is told and nothing is closed', async () => {
  const { rig, talked, screen } = await twoTurns();
  expect(await screen.type('/model other')).toContain('other goes on from here');
  await talked.said('Third.');
  expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: 'other' });
  expect(await screen.type('/model other')).toContain('does the work already');
  const bare = await rig.open({ yolo: true, baseUrl: undefined, model: 'anthropic/claude-sonnet-5-5' }, undefined, {
    ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef',
  });
  const other = typedCommands(bare.session);
  expect(await other.type('/model nobody/nothing')).toMatch(/nobody/);
  expect(await other.type('/model openai/gpt-5')).toMatch(/OPENAI_API_KEY/);
  expect(bare.session.opened?.model).toBe('claude-sonnet-5-5');
  other.answer(undefined);
  await other.type('/model');
  const values = other.asked[0]?.items.map(({ value }) => value) ?? [];
  expect(values.length).toBeGreaterThan(1);
  expect(values.every((value) => value.startsWith('anthropic/'))).toBe(true);
});

test('/model with an address in the settings file: a model of the list, and one that is so chosen, is at its provider, also after a restart', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const anthropic = await ScriptedModel.start();
  await rig.configure(`model = "local"\nsmallModel = "small"\nbaseUrl = ${JSON.stringify(rig.server.baseURL)}\n`);
  const env = { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', ANTHROPIC_BASE_URL: anthropic.url };
  const none = { model: undefined, baseUrl: undefined };
  const talked = await rig.open(none, undefined, env);
  const screen = typedCommands(talked.session);
  screen.answer('anthropic/claude-sonnet-5-5');
  expect(await screen.type('/model')).toContain(
    `anthropic/claude-sonnet-5-5 goes on from here, at ${anthropic.url}. Its`,
  );
  await talked.said('One.');
  expect(anthropic.requests).toHaveLength(1);
  const id = talked.session.opened?.session.id ?? '';
  await talked.session.close();
  const again = await rig.open(none, await findSession(rig.sessions, { id, workspace: rig.workspace }), env);
  await again.said('Two.');
  expect(anthropic.requests).toHaveLength(2);
  expect(rig.server.requests).toEqual([]);

  const other = typedCommands(again.session);
  expect(await other.type('/model local')).toContain(`local goes on from here, at ${rig.server.baseURL}.`);
  await again.said('Three.');
  expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: 'local' });
  // A name with a provider may be the server's own: the user says which is meant.
  other.answer('server');
  expect(await other.type('/model anthropic/claude-haiku-4-5')).toContain(`at ${rig.server.baseURL}.`);
  expect(other.asked[0]).toMatchObject({ title: 'Where is anthropic/claude-haiku-4-5?' });
  other.answer(undefined);
  expect(await other.type('/model anthropic/claude-sonnet-5-5')).toBe('');
  other.answer('own');
  await other.type('/model anthropic/claude-sonnet-5-5');
  await again.said('Four.');
  expect(anthropic.requests).toHaveLength(3);
});

test('/model with --base-url: a model of the list leaves the address known, for the small model too', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const anthropic = await ScriptedModel.start();
  const env = { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', ANTHROPIC_BASE_URL: anthropic.url };
  const talked = await rig.open({ smallModel: 'small' }, undefined, env);
  const screen = typedCommands(talked.session);
  screen.answer('anthropic/claude-sonnet-5-5');
  expect(await screen.type('/model')).toContain(`at ${anthropic.url}. Its prompt cache is empty`);
  expect(screen.asked[0]?.items[0]?.detail).toContain(`at ${new URL(anthropic.url).host}`);
  for (const words of ['One.', 'Two.', 'Three.']) await talked.said(words);
  expect(anthropic.requests).toHaveLength(3);
  expect(rig.server.requests).toEqual([]);
  await screen.type('/compact the words');
  const asked = rig.server.requests.map(({ body }) => (body as { readonly model?: string }).model);
  expect(new Set(asked)).toEqual(new Set(['small']));
  expect(await screen.type('/model local')).toContain(`local goes on from here, at ${rig.server.baseURL}.`);
  await talked.said('Four.');
  expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: 'local' });
});

test('/model in a session that goes on keeps the address of its server; a model of the list is one of its provider', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const first = await rig.open({ yolo: true });
  await first.said('Begin.');
  await first.session.close();
  const [found] = (await listSessions(rig.sessions)).sessions;
  const again = await rig.open({ model: undefined, baseUrl: undefined }, found, {
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  });
  const screen = typedCommands(again.session);
  expect(await screen.type('/model other')).toContain('other goes on from here');
  expect(again.session.opened?.baseUrl).toBe(rig.server.baseURL);
  await again.said('Go on.');
  expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: 'other' });
  screen.answer('anthropic/');
  expect(await screen.type('/model')).toContain('goes on from here');
  expect(again.session.opened?.settings.settings.model).toMatch(/^anthropic\//);
  expect(again.session.opened?.baseUrl).toBeUndefined();
});

test('/rewind shows what another process has done in the session since', async () => {
  const { rig, talked, screen, text } = await twoTurns();
  const id = talked.session.opened?.session.id ?? '';
  const other = await rig.open({ yolo: true }, await findSession(rig.sessions, { id, workspace: rig.workspace }));
  await other.said('Third.');
  screen.answer('First.', 'yes');
  expect(await screen.type('/rewind')).toContain('would be restored: a.txt');
  expect(screen.asked[0]?.items.map(({ label }) => label)).toEqual([
    'your message: Third.',
    'your message: Second.',
    'your message: First.',
  ]);
  expect(await text('a.txt')).toBe('before\n');
});

test('/rewind says that calls of MCP servers are not undone', async () => {
  const rig = await interactiveRig({
    reply: (_, index) => (index === 0 ? calls(null, toolCall('mcp__forge__push', {})) : says('Done.')),
  });
  const talked = await rig.open({ yolo: true });
  const screen = typedCommands(talked.session);
  await talked.said('Push.');
  screen.answer('Push.', 'no');
  expect(await screen.type('/rewind')).toContain('not undone: what a call of an MCP server did');
  expect(screen.asked[0]?.items[0]?.detail).toBe('0 files written since, 1 call of MCP servers');
});

test('what goes wrong in a command is told, and the session goes on; an argument of any size harms nothing', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const talked = await rig.open({ yolo: true });
  const said: string[] = [];
  const screen: CommandSurface = {
    session: talked.session,
    say: (text) => void said.push(text),
    show: () => Promise.reject(new Error('no room')),
    choose: () => Promise.resolve(undefined),
    ask: () => Promise.resolve(undefined),
    edit: () => undefined,
  };
  for (const line of ['/context', `/pin ${'x'.repeat(1_000_000)}`, `/resume ${'x'.repeat(1_000_000)}`]) {
    const command = typedCommand(line);
    if (command !== undefined) await runTypedCommand(command, screen);
  }
  expect(said[0]).toMatch(/^Palimpsest has a defect: Error: no room/);
  expect(said).toHaveLength(3);
  expect(Math.max(...said.map(({ length }) => length))).toBeLessThan(5_000);
});

test('/cost, /permissions, /skills, /export and /help tell what there is', async () => {
  const { rig, screen } = await twoTurns();
  const cost = await screen.type('/cost');
  expect(cost).toMatch(/agent, local +4 /);
  expect(cost).toMatch(/^Cost: not known, /);
  expect(cost).toContain('No price is known for local: the cost is not known.');
  expect(cost).toContain('at the prices of claude-sonnet-5-5, because those of local are not known, with');
  expect(cost).toContain('Nothing was condensed.');
  expect(cost).toContain('Nothing: each request began with the one before.');
  expect(await screen.type('/permissions')).toContain('--yolo');
  expect(await screen.type('/skills')).toContain('No skills were found');
  expect(await screen.type('/mcp')).toContain('No MCP servers are configured');
  expect(await screen.type('/export markdown notes/../out.md')).toBe('Written: out.md');
  expect(await readFile(join(rig.workspace, 'out.md'), 'utf8')).toContain('Second.');
  expect(await screen.type('/export markdown out.md')).toContain('there is a file of this name');
  const help = await screen.type('/help');
  for (const { name } of slashCommands) expect(help).toContain(`/${name}`);
});

test('a name that is none is told with the commands that begin with it; a slash alone is no message', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const screen = typedCommands((await rig.open()).session);
  expect(await screen.type('/co')).toBe(
    'There is no command /co. With it begin: /context, /condensations, /compact, /cost.',
  );
  expect(await screen.type('/nosuch')).toContain('There is no command /nosuch. /help lists');
  expect(await screen.type('/ ')).toContain('There is no command /. /help lists');
  expect(typedCommand('/etc/hosts is odd')).toBeUndefined();
  expect(typedCommand('/exit')?.command).toBe(typedCommand('/quit')?.command);
  expect(rig.server.requests).toEqual([]);
});

test('a rule is told with the file that it is from; a skill with what it is', async () => {
  const rig = await interactiveRig(
    { reply: () => says('Done.') },
    {
      '.palimpsest/config.toml': '[permissions]\ndeny = ["run_command(rm *)"]\n',
      '.agents/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: How to deploy.\n---\nPush it.\n',
    },
  );
  const talked = await rig.open();
  const screen = typedCommands(talked.session);
  const rules = await screen.type('/permissions');
  expect(rules).toContain('run_command(rm *)');
  expect(rules).toContain('config.toml');
  expect(await screen.type('/skills')).toMatch(/deploy: loaded by the model[\s\S]*How to deploy\./);
});

test('a rule that an answer made is told, too', async () => {
  const rig = await interactiveRig({
    reply: (_, index) => (index === 0 ? calls(null, toolCall('run_command', { command: 'echo hi' })) : says('Done.')),
  });
  const talked = await rig.open();
  const screen = typedCommands(talked.session);
  talked.session.send('Go.');
  const { approvals } = await talked.state('waiting');
  await talked.session.answer(
    approvals.map(({ id }) => id),
    { type: 'session', rule: 'run_command(echo *)' },
  );
  await talked.state('idle');
  expect(await screen.type('/permissions')).toContain('run_command(echo *)  (your answer)');
});

test('before anything was said, and where nothing is open, each command says so', async () => {
  const rig = await interactiveRig({ reply: () => says('Done.') });
  const talked = await rig.open({ yolo: true });
  const screen = typedCommands(talked.session);
  expect(await screen.type('/compact')).toContain('nothing to condense yet');
  expect(await screen.type('/rewind')).toContain('nothing to go back to');
  expect(await screen.type('/pin last')).toContain('There is no message');
  expect(await screen.type('/condensations')).toContain('Nothing was condensed');
  expect(await screen.type('/undo-compact')).toContain('No condensation is in force');
  expect(await screen.type('/cost')).toContain('No model was asked yet');
  expect(await screen.type('/resume')).toContain('no other session');
  expect(await screen.type('/export')).toContain('nothing to write yet');
  expect(await screen.type('/context')).toContain('Context: 0 tokens');
  const closed = await rig.open({ baseUrl: undefined, model: 'anthropic/claude-sonnet-5-5' });
  const none = typedCommands(closed.session);
  for (const name of ['context', 'view', 'compact', 'pin', 'cost', 'skills', 'permissions']) {
    expect(await none.type(`/${name}`)).toContain('No session is open');
  }
});

test('each command completes its argument, open or not', async () => {
  const { rig, talked } = await twoTurns();
  const completed = await Promise.all(
    slashCommands.map(
      async (command) => [command.name, (await command.complete?.('', talked.session))?.length ?? 0] as const,
    ),
  );
  const counts = Object.fromEntries(completed);
  expect(counts).toMatchObject({ rewind: 2, export: 3, resume: 1, 'undo-compact': 0, unpin: 0 });
  expect(counts['pin']).toBeGreaterThan(5);
  const closed = await rig.open({ baseUrl: undefined, model: 'anthropic/claude-sonnet-5-5' });
  for (const command of slashCommands) await command.complete?.('', closed.session);
});
