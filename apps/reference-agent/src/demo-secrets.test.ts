import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noOpCondenser } from '@palimpsest/condensers';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
import { runDemo } from './demo.js';
import { copyWorkspace } from './workspace-copy.js';

test('a key that lies in the workspace is in no log and reaches no model', async () => {
  const key = 'sk-test-0123456789';
  const logDirectory = await mkdtemp(join(tmpdir(), 'palimpsest-demo-test-'));
  const { workspace, remove } = await copyWorkspace(fileURLToPath(new URL('../sample-project/', import.meta.url)));
  try {
    // Nothing of the tests, which would run at the end, is looked at.
    await rm(join(workspace.root, 'test'), { recursive: true });
    await writeFile(join(workspace.root, '.env'), `OPENAI_API_KEY=${key}\n`);
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'read_file', arguments: { path: '.env' } }] }, 'Done.'] });
    const secrets = { OPENAI_API_KEY: key };
    const { logFile } = await runDemo({ workspace, logDirectory, llm, condenser: noOpCondenser(), secrets });
    expect(await readFile(logFile, 'utf8')).toContain('OPENAI_API_KEY=[secret OPENAI_API_KEY]');
    expect((await readFile(logFile, 'utf8')) + JSON.stringify(llm.requests)).not.toContain(key);
  } finally {
    await remove();
    await rm(logDirectory, { recursive: true, force: true });
  }
});
