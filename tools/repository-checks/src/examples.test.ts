import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { workspaceRoot } from './workspace.js';

const run = promisify(execFile);
const folder = path.join(workspaceRoot, 'examples');
/** Run by `integrations`, on the Node that they need. */
const runElsewhere: readonly string[] = [];
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts') && !runElsewhere.includes(name));
const steps = 60;

/** A model that calls the first tool of each request, 60 times, and then has an answer. */
function readingModel(): Promise<ProviderServer> {
  return openaiServer({
    reply: ({ tools }, index) => {
      if (index === steps) return { message: { content: 'It is for agents.' } };
      const [tool] = tools as readonly { name?: string; function?: { name: string } }[];
      const called = { name: tool?.function?.name ?? tool?.name, arguments: '{"path":"README.md"}' };
      return { message: { content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: called }] } };
    },
  });
}

describe.each(examples)('examples/%s', (name) => {
  const file = path.join(folder, name);

  it('has at most 30 lines', () => {
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });

  it('runs, is never refused, and sends less than half of what it has read', async () => {
    const server = await readingModel();
    const env = { ...process.env, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'a-key' };
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: workspaceRoot, env });
    await server.close();
    expect(stdout.trim()).toBe('It is for agents.');
    expect(server.requests).toHaveLength(steps + 1);
    const sizes = server.requests.map(({ bytes }) => bytes);
    const whole = (sizes[1] ?? 0) - (sizes[0] ?? 0);
    expect(sizes.at(-1)).toBeLessThan((whole * steps) / 2);
  }, 120_000);
});

it('type-check as a user would', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const program = ts.createProgram(
    files.filter((name) => !runElsewhere.includes(name)).map((name) => path.join(folder, name)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
    },
  );
  const problems = ts.getPreEmitDiagnostics(program);
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
}, 120_000);
