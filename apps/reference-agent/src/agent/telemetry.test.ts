import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, chatServer, says, toolCall } from '../../test-support/chat-server.js';
import { startCli } from '../../test-support/cli-process.js';
import { headlessRig } from '../../test-support/headless-rig.js';

const preload = new URL('../../test-support/with-telemetry.mjs', import.meta.url).href;

test('an SDK of OpenTelemetry that was loaded before the program gets its spans, without what is said', async () => {
  const read = toolCall('read_file', { path: 'okapi.md' });
  const server = await chatServer({ reply: (_, index) => (index === 0 ? calls(null, read) : says('OKAPI is read.')) });
  const rig = await headlessRig({ 'okapi.md': 'OKAPI\n' }, { model: 'local', baseUrl: server.baseURL });
  const file = join(rig.workspace, '..', 'spans');
  const env = { ...rig.env, NODE_OPTIONS: `--import ${preload}`, SPANS: file };
  const args = ['-p', 'Read OKAPI.', '--model', 'local', '--base-url', server.baseURL, '--yolo'];
  const run = startCli(args, { cwd: rig.workspace, env });

  expect(await run.ended, run.stderr()).toBe(0);
  const text = readFileSync(file, 'utf8');
  const spans = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly name: string; readonly isRoot: boolean });
  expect(spans.map(({ name }) => name)).toEqual([
    'chat local',
    'execute_tool read_file',
    'step',
    'chat local',
    'step',
    'invoke_agent palimpsest',
  ]);
  expect(spans.filter(({ isRoot }) => isRoot).map(({ name }) => name)).toEqual(['invoke_agent palimpsest']);
  expect(text.toLowerCase()).not.toContain('okapi');
});
