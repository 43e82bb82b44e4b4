import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, it } from 'vitest';
import { strictUser, typeProblems } from './native-types.js';
import { workspaceRoot } from '../workspace.js';

const run = promisify(execFile);
const folder = path.join(workspaceRoot, 'examples');
/** Run by `integrations`, on the Node that they need. */
const runElsewhere: readonly string[] = [];
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts') && !runElsewhere.includes(name));
const typeRoots = [path.join(workspaceRoot, 'node_modules/@types')];
const steps = 60;

const answer = 'It is for agents.';
const input = { path: 'README.md' };

/** A model that calls `read_file`, or else the first tool of each request, 60 times, and then has an answer. */
function readingModel(name: string): Promise<ProviderServer> {
  if (name.startsWith('anthropic')) {
    return anthropicServer({
      reply: ({ tools }, index) => {
        if (index === steps) return { content: [{ type: 'text', text: answer }] };
        const [tool] = tools as readonly { name: string }[];
        return { content: [{ type: 'tool_use', id: `toolu_${index}`, name: tool?.name ?? '', input }] };
      },
    });
  }
  return openaiServer({
    reply: ({ tools }, index) => {
      if (index === steps) return { message: { content: answer } };
      const offered = tools as readonly { name?: string; function?: { name: string } }[];
      const tool = offered.find((each) => each.function?.name === 'read_file') ?? offered[0];
      const called = { name: tool?.function?.name ?? tool?.name, arguments: JSON.stringify(input) };
      return { message: { content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: called }] } };
    },
  });
}

/** The variables by which the SDKs find the server. */
function environmentOf(name: string, { baseURL }: ProviderServer): Record<string, string> {
  const prefix = name.startsWith('anthropic') ? 'ANTHROPIC' : 'OPENAI';
  return { [`${prefix}_BASE_URL`]: baseURL, [`${prefix}_API_KEY`]: 'a-key' };
}

describe.each(examples)('examples/%s', (name) => {
  const file = path.join(folder, name);

  it('has at most 30 lines', () => {
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });

  it('runs, is never refused, and sends less than half of what it has read', async () => {
    const server = await readingModel(name);
    const env = { ...process.env, ...environmentOf(name, server) };
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: workspaceRoot, env });
    await server.close();
    expect(stdout.trim()).toBe(answer);
    expect(server.requests).toHaveLength(steps + 1);
    const sizes = server.requests.map(({ bytes }) => bytes);
    const whole = (sizes[1] ?? 0) - (sizes[0] ?? 0);
    expect(sizes.at(-1)).toBeLessThan((whole * steps) / 2);
  });
});

it('type-check as a user would', async () => {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !runElsewhere.includes(name))
    .map((name) => path.join(folder, name));
  const directory = await mkdtemp(path.join(tmpdir(), 'examples-'));
  const compilerOptions = { ...strictUser, types: ['node'], typeRoots, skipLibCheck: true };

  expect(await typeProblems(directory, { compilerOptions, files })).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});
