import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connected, hostile, temporaryFolder } from '../test-support/servers.js';

const quick = { connectMs: 2_000 };

test('servers that fail at the start are notes, and the others are there', async () => {
  const all = await connected({
    good: hostile('good'),
    dies: hostile('dies'),
    giant: hostile('giant'),
    hundred: hostile('hundred'),
    silent: hostile('silent', quick),
    version: hostile('version'),
    odd: hostile('odd'),
    absent: { command: '/no/such/program' },
    nowhere: { command: process.execPath, cwd: '/no/such/folder' },
    refused: { url: 'http://127.0.0.1:9/mcp' },
  });
  expect(all.tools.map(({ name }) => name)).toEqual(['mcp__good__call']);
  const because = Object.fromEntries(all.servers().map(({ name, problem }) => [name, problem]));
  expect(because).toEqual({
    good: undefined,
    dies: "The MCP server 'dies' ended with status 3. Its log ends: no database",
    giant: expect.stringMatching(/sent a message of more than 16 MiB, and was ended\./),
    hundred: expect.stringMatching(/sent a message of more than 16 MiB, and was ended\./),
    silent: "The MCP server 'silent' did not answer within 2 s.",
    version: expect.stringMatching(/version is not supported: 1999-01-01/),
    odd: expect.stringMatching(/was not connected/),
    absent: expect.stringMatching(/did not start: there is no program '\/no\/such\/program'\./),
    nowhere: expect.stringMatching(/did not start/),
    refused: expect.stringMatching(/was not connected: .*bad port/),
  });
  expect([...all.notes].sort()).toEqual(Object.values(because).filter(Boolean).sort());
  expect(all.notes.join('')).not.toMatch(/[\u0000-\u001f]/);
});

test('tools that are not valid are left out, and the others of the server are there', async () => {
  const all = await connected({ partly: hostile('partly') });
  expect(all.tools.map(({ name }) => name)).toEqual(['mcp__partly__call', 'mcp__partly__good']);
  expect(all.notes).toEqual([
    "The MCP server 'partly' describes tools that are not valid: 'a tool without a name', 'bad', 'a tool without a name'. They are left out.",
  ]);
  expect(await all.use('mcp__partly__good')).toEqual({ content: [{ type: 'text', text: 'good done' }] });
});

test('a server that floods is ended, whether it answers meanwhile or not', async () => {
  const all = await connected({ garbage: hostile('garbage'), log: hostile('log') });
  // The test hangs if one goes on.
  while (all.servers().some(({ state }) => state === 'connected'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(all.servers().map(({ problem }) => problem)).toEqual([
    "The MCP server 'garbage' sent messages without end, and was ended.",
    "The MCP server 'log' filled its log without end, and was ended.",
  ]);
  expect(all.servers().every(({ log }) => log.length <= 8_000)).toBe(true);
});

test('an older server that ends at an unknown request is started again without it', async () => {
  const all = await connected({ strict: hostile('strict') });
  expect(all.notes).toEqual([]);
  expect(await all.use('mcp__strict__call')).toEqual({ content: [{ type: 'text', text: 'call done' }] });
});

test('a call that fails is an error with words; its server is started again once, or never', async () => {
  const all = await connected({
    mortal: hostile('mortal'),
    mute: hostile('mute', { idleMs: 300 }),
    chatty: hostile('chatty'),
    curious: hostile('curious'),
    huge: hostile('huge'),
    unasked: hostile('unasked'),
    wrong: hostile('wrong'),
    refuses: hostile('refuses'),
  });
  expect(all.notes).toEqual([]);
  const failing = async (name: string): Promise<string> =>
    await all.use(`mcp__${name}__call`).then(String, (error: Error) => error.message);
  const first = Object.fromEntries(
    await Promise.all(all.servers().map(async ({ name }) => [name, await failing(name)] as const)),
  );
  expect(first).toEqual({
    mortal: expect.stringMatching(/ended with status 4\. The call of 'call' has no answer\. Check what it did/),
    mute: expect.stringMatching(/did not answer the call of 'call' \(at most 0\.3 s without a sign of life/),
    chatty: expect.stringMatching(/sent messages without end, and was ended\./),
    curious: expect.stringMatching(/sent messages without end, and was ended\./),
    huge: expect.stringMatching(
      /answered the call of 'call' with more than 16 MiB, which is not read\. Ask for a part/,
    ),
    unasked: expect.stringMatching(/sent a message of more than 16 MiB, and was ended\./),
    wrong: expect.stringMatching(/could not carry out the call/),
    refuses: expect.stringMatching(/refused the call of 'call': no {2}way$/),
  });
  expect(all.servers().map(({ name, state }) => [name, state])).toEqual([
    ...[
      ['chatty', 'ended'],
      ['curious', 'ended'],
      ['huge', 'connected'],
      ['mortal', 'ended'],
      ['mute', 'connected'],
    ],
    ...[
      ['refuses', 'connected'],
      ['unasked', 'ended'],
      ['wrong', 'connected'],
    ],
  ]);
  // The same process goes on.
  expect(await failing('huge')).toBe('[object Object]');
  // Started again, and ended again: then no more.
  expect(await failing('mortal')).toContain('has no answer');
  expect(all.told).toContain("The MCP server 'mortal' had ended and was started again.");
  expect(await failing('mortal')).toMatch(/^The MCP server 'mortal' ended with status 4\.$/);
  // One that flooded is not started again.
  expect(await failing('chatty')).toMatch(/without end, and was ended\.$/);
  expect(all.told.filter((note) => note.includes('started again'))).toHaveLength(1);
});

test('a server that is closed before it was started again is not started', async () => {
  const file = join(await temporaryFolder(), 'starts');
  const all = await connected({ mortal: hostile('mortal', { file }) });
  await expect(all.use('mcp__mortal__call')).rejects.toThrow('ended with status 4');
  const again = expect(all.use('mcp__mortal__call')).rejects.toThrow("The MCP server 'mortal'");
  await all.close();
  await again;
  expect(await readFile(file, 'utf8')).toBe('started\n');
});

test('a long result is cut in the middle', async () => {
  const all = await connected({ long: hostile('long') }, { maxResultCharacters: 1_000 });
  const { content } = (await all.use('mcp__long__call')) as { content: [{ text: string }] };
  expect(content[0].text).toMatch(/^beginy+\n\[… 299008 characters left out …\]\ny+end$/);
});

test('a server that changes its tools changes nothing, and is told', async () => {
  const all = await connected({ changing: hostile('changing') });
  const before = JSON.stringify(all.tools);
  await all.use('mcp__changing__a');
  while (all.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(all.told).toEqual([
    "The MCP server 'changing' has changed its tools; the change counts from the next session on.",
  ]);
  expect(JSON.stringify(all.tools)).toBe(before);
});

test('a server that says that its tools have changed, and has the same, is not told of', async () => {
  const all = await connected({ restless: hostile('restless'), changing: hostile('changing') });
  await all.use('mcp__restless__call');
  await all.use('mcp__changing__a');
  while (all.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(all.told.join()).toContain("'changing' has changed its tools");
  expect(all.told.join()).not.toContain('restless');
});

test('names and descriptions hold nothing that a terminal or a provider would stumble over', async () => {
  const all = await connected({ names: hostile('names'), read_only: hostile('readOnly') });
  for (const { name, description } of all.tools) {
    expect(name).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/);
    expect(description).not.toMatch(/[\u0000-\u001f\u202e\u{e0000}-\u{e007f}]/u);
    expect(description).not.toBe('');
  }
  expect(all.tools.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^mcp__names___\d?_?0_title__[0-9a-f]{12}$|^mcp__names____0_title__[0-9a-f]{12}$/),
    expect.stringMatching(/^mcp__names__a__2Jb_[0-9a-f]{12}$/),
    'mcp__names__run_command',
    'mcp__names__same',
    expect.stringMatching(/^mcp__names__x+_[0-9a-f]{12}$/),
    'mcp__read_only__wipe',
  ]);
  expect(all.notes).toEqual(["The MCP server 'names' lists 1 tools twice; the first of each name counts."]);
  expect(all.tools[3]?.description).toBe('first');
  expect(all.tools.at(-1)).not.toHaveProperty('annotations');
});

test('of 10,000 tools as many are offered as may be, and other servers keep theirs', async () => {
  const all = await connected({ aaa: hostile('many'), zzz: hostile('good') }, { maxTools: 20 });
  expect(all.tools).toHaveLength(20);
  expect(all.tools.at(-1)?.name).toBe('mcp__zzz__call');
  expect(all.notes.join('\n')).toMatch(/'aaa' has \d+ tools; \d+ are left out/);
});

test('the list is the same at every start', async () => {
  const starts = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 20 : 4;
  const lists = await Promise.all(
    Array.from({ length: starts }, async () => {
      const all = await connected({ loops: hostile('loops') });
      await all.close();
      return JSON.stringify(all.tools);
    }),
  );
  expect(new Set(lists).size).toBe(1);
  expect(lists[0]?.length).toBeLessThan(17_000);
});

test('a name that is none is an error before anything is started', async () => {
  for (const name of ['a__b', '_a', 'a b', 'x'.repeat(33), '']) {
    await expect(connected({ [name]: hostile('good') })).rejects.toThrow(/cannot be used/);
  }
  await expect(connected({ a: { url: 'file:///etc/passwd' } })).rejects.toThrow(/http/);
});
