import { expect, test } from 'vitest';
import { connected, honest } from '../test-support/servers.js';

test('tools of a server over its input and output: results as text, images and errors', async () => {
  const all = await connected({ honest }, { env: { PATH: '/bin', API: 'x' } });
  expect(all.notes).toEqual([]);
  expect(all.tools.map(({ name }) => name)).toEqual(
    ['add', 'echo', 'fail', 'image', 'rest', 'variables'].map((name) => `mcp__honest__${name}`),
  );
  // What a server says of itself allows nothing.
  expect(all.tools.every(({ annotations }) => annotations === undefined)).toBe(true);
  expect(await all.use('mcp__honest__echo', { words: 'hello' })).toEqual({
    content: [{ type: 'text', text: 'hello' }],
  });
  expect(await all.use('mcp__honest__add', { a: 1, b: 2 })).toEqual({ content: [{ type: 'text', text: '{"sum":3}' }] });
  expect(await all.use('mcp__honest__image')).toEqual({
    content: [
      { type: 'image', url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
      { type: 'text', text: '[resource file:///a.txt]\nof a' },
    ],
  });
  expect(await all.use('mcp__honest__fail')).toEqual({
    content: [{ type: 'text', text: 'It is broken.' }],
    isError: true,
  });
  const wrong = await all.use('mcp__honest__echo', { words: 7 });
  expect(wrong).toMatchObject({ isError: true });
  const variables = (await all.use('mcp__honest__variables')) as { content: [{ text: string }] };
  expect(Object.keys(JSON.parse(variables.content[0].text) as object).sort()).toEqual(
    expect.arrayContaining(['API', 'PALIMPSEST_COMMAND', 'PATH']),
  );
  expect(variables.content[0].text).not.toContain('VITEST');
  expect(all.servers()).toMatchObject([
    { name: 'honest', kind: 'stdio', state: 'connected', instructions: 'Be kind.' },
  ]);
  const stop = new AbortController();
  const resting = all.use('mcp__honest__rest', {}, stop.signal);
  while (!all.servers()[0]?.log.includes('resting')) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort(new Error('enough'));
  await expect(resting).rejects.toThrow('enough');
  // The server was told. The test hangs if it is not.
  while (!all.servers()[0]?.log.includes('woken')) await new Promise((resolve) => setTimeout(resolve, 5));
});
