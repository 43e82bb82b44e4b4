import { readFile } from 'node:fs/promises';
import { anthropicServer } from '@palimpsest/provider-servers';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { headlessRig } from '../../test-support/headless-rig.js';
import { addRunOptions } from './run-options.js';

test('a server that speaks Anthropic’s API is asked as the help and the README say', async () => {
  const help = addRunOptions(new Command()).helpInformation();
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  for (const text of [help, readme]) expect(text.replaceAll(/\s+/g, ' ')).toMatch(/--model anthropic:NAME/);
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Hello.' }] }) });
  onTestFinished(() => server.close());
  for (const baseUrl of [server.url, `${server.url}/v1`]) {
    const rig = await headlessRig({}, { baseUrl, model: 'anthropic:a/model-of-its-own' });
    expect(await rig.run({ print: 'Go.', outputFormat: 'text' })).toMatchObject({ status: 0, stdout: 'Hello.\n' });
  }
  expect(server.requests.map(({ body }) => body)).toMatchObject([
    { model: 'a/model-of-its-own' },
    { model: 'a/model-of-its-own' },
  ]);
});
