import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundledProgram } from '../../test-support/bundled-program.js';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { openWorkspace } from '../workspace/workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import { findRipgrep } from './ripgrep.js';
import { searchTool } from './search.js';
import type { SearchOptions } from './search.js';

const ripgrep = await findRipgrep(await openWorkspace('/tmp'));
const engines: readonly (readonly [string, SearchOptions])[] = [
  ['RE2', { ripgrep: false }],
  ...(ripgrep === undefined ? [] : ([['ripgrep', { ripgrep }]] as const)),
];

async function search(
  workspace: Workspace,
  input: object,
  options: SearchOptions = {},
  context: object = {},
): Promise<string> {
  const tool = searchTool(workspace, options);
  const output = await tool.execute(tool.parseInput(input), { ...noContext, ...context });
  return (output as { content: string }).content;
}

/** A search that takes RE2 minutes: a pattern of many states, most of which are met in a text without order. */
const slow = {
  pattern: '(x[xy]{30}){25}[zw]',
  text: Array.from({ length: 280_000 }, (_, index) => {
    const bits = (Math.imul(index, 2_654_435_761) >>> 0).toString(2).padStart(32, '0');
    return bits.replaceAll('0', 'x').replaceAll('1', 'y') + (index % 30 === 29 ? '\n' : '');
  }).join(''),
};

/** Patterns for which models search, and on which the two syntaxes differ. */
const patterns = [
  'export function',
  '^import .* from',
  String.raw`\bEvent\b`,
  String.raw`\w+Error`,
  String.raw`[A-Z]\w+\(`,
  '(?i)palimpsest',
  String.raw`throw new \w+\(`,
  'function parseEvent() {',
  'interface \\w+ {$',
  '{',
  '}$',
  '[{}]',
  '[^a-zA-Z0-9 ]{3,}',
  String.raw`\s{4,}\S`,
  String.raw`\d{2,}`,
  String.raw`[\w-]+/[\w-]+`,
  String.raw`\/\*\*`,
  String.raw`\"[a-z]+\"`,
  String.raw`\<\w+\>`,
  String.raw`[\W\d]x`,
  '[[]|[]]',
  '[&|~-]{2}',
  'a{1,2}b?',
  '(?<name>event)',
  'const|let|var',
  String.raw`\u00e9|é|…`,
  String.raw`\x41\x42`,
  '.*',
  '^$',
  '[[:upper:]]{4}',
  String.raw`\p{Lu}\p{Ll}+`,
  String.raw`\.\.\.`,
  '(a+)+$',
  String.raw`\bß\b|ß`,
  String.raw`é\b`,
];

const realFolder = path.join(fileURLToPath(new URL('../../../..', import.meta.url)), 'packages/events');

describe.skipIf(ripgrep === undefined)('both engines', () => {
  /** `npm test` takes each fourth line, CI's thorough run all: `.ci/run`. */
  const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
  /** Returns the lines of the real folder, each once: an engine matches line by line, and opening its files took the longest. */
  const realLines = async (): Promise<string> => {
    const files = (await readdir(path.join(realFolder, 'src'), { recursive: true })).filter((file) =>
      /\.\w+$/.test(file),
    );
    const texts = await Promise.all(files.sort().map((file) => readFile(path.join(realFolder, 'src', file), 'utf8')));
    const all = [...new Set(texts.flatMap((text) => text.split('\n')))];
    return all.filter((_, index) => isThorough || index % 4 === 0).join('\n');
  };
  let lines: Promise<string> | undefined;

  test.each(patterns)('answer the same for real lines: %s', async (pattern) => {
    const workspace = await temporaryWorkspace({ 'a.txt': await (lines ??= realLines()) });
    const [first, second] = await Promise.all(
      engines.map(([, options]) => search(workspace, { pattern, max_results: 1_000 }, options)),
    );
    expect(first).toBe(second);
  });

  test('answer the same in a real folder', async () => {
    const workspace = await openWorkspace(realFolder);
    const input = { pattern: '.*', path: 'src', max_results: 1_000 };
    expect(await search(workspace, input, { ripgrep: false })).toBe(await search(workspace, input, { ripgrep }));
  });

  test('answer the same without case', async () => {
    const workspace = await openWorkspace(realFolder);
    // Not in '.', where builds and tests of the package write meanwhile.
    const input = { pattern: 'EVENT|straße|ſ|K', path: 'src', ignore_case: true, max_results: 1_000 };
    expect(await search(workspace, input, { ripgrep: false })).toBe(await search(workspace, input, { ripgrep }));
  });

  test('answer the same for text of every kind', async () => {
    const workspace = await temporaryWorkspace({
      'crlf.txt': 'one;\r\ntwo;\r\n',
      'bom.txt': '\ufeffone;\n',
      'no-end.txt': 'x\none;',
      'binary.bin': 'one;\0one;\n',
      'long.txt': `${'x'.repeat(200_000)}one;\n`,
      'é.txt': 'one;é\n',
      '.hidden': 'one;\n',
      '-dash.txt': 'one;\n',
      'empty.txt': '',
      'a"quote.txt': 'one;\n',
    });
    await writeFile(path.join(workspace.root, 'latin1.txt'), Buffer.from('one;é\n', 'latin1'));
    await writeFile(path.join(workspace.root, 'utf16.txt'), Buffer.from('\ufeffone;\nx\n', 'utf16le'));
    for (const pattern of ['one;', 'one;$', '^one', 'ONE', '.+']) {
      const [first, second] = await Promise.all(engines.map(([, options]) => search(workspace, { pattern }, options)));
      expect(first).toBe(second);
    }
    expect((await search(workspace, { pattern: 'one;$' })).split('\n').map((line) => line.slice(0, 30))).toEqual([
      '-dash.txt:1: one;',
      '.hidden:1: one;',
      '"a\\"quote.txt":1: one;',
      'bom.txt:1: one;',
      'crlf.txt:1: one;',
      `long.txt:1: ${'x'.repeat(18)}`,
      'no-end.txt:2: one;',
      'utf16.txt:1: one;',
    ]);
  });

  test('answer the same for line ends and carriage returns', async () => {
    const workspace = await temporaryWorkspace({
      'crlf.txt': 'one;\r\ntwo;\r\n\r\n',
      'progress.txt': '1%\rone;\r\n2%\rtwo \r\n',
      'lf.txt': 'one; \n\n',
    });
    const ofLines = [
      '.{5}$',
      '^$',
      ...String.raw`\s$ \r o[\s\S]{4}$ [^;]$ \z one;\b \B$ \W+$ \p{^L}$ [^\n]; (?:;$) \rone`.split(' '),
    ];
    for (const pattern of ofLines) {
      const [first, second] = await Promise.all(engines.map(([, options]) => search(workspace, { pattern }, options)));
      expect(first).toBe(second);
    }
    expect(await search(workspace, { pattern: String.raw`\s$` })).toBe('lf.txt:1: one; \nprogress.txt:2: 2%\rtwo ');
  });
});

describe.each(engines)('%s', (_name, options) => {
  test('ends at once for patterns that run for ever elsewhere', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': `${'a'.repeat(50_000)}!\n${'ab'.repeat(1_000)}\n` });
    for (const pattern of ['(a+)+$', '(a|a)*$', '(a*)*b$', '(?:a?){30}a{30}$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(await search(workspace, { pattern }, options)).toMatch(/^Nothing matches|^a.txt:\d/);
    }
  });

  test.each([
    ['(?<=x)y', /look-ahead and look-behind, which this search does not have/],
    ['x(?!y)', /or use run_command/],
    [String.raw`(a)\1`, /back-references/],
    ['(', /no regular expression that the search takes/],
    ['[z-a]', /no regular expression that the search takes/],
    ['x{2}*', /repeats a repetition \(\{2\}\*\)/],
    ['x+?+', /repeats a repetition/],
    ['(?x)a b', /unknown group/],
    [String.raw`a\nb`, /holds a line break/],
    [String.raw`[\n]`, /holds a line break/],
    ['x\\', /ends in a backslash/],
    [String.raw`\y`, /unknown escape/],
    ['((a{1000}){1000}){1000}', /no regular expression that the search takes/],
  ])('says what it does not take: %s', async (pattern, message) => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
    await expect(search(workspace, { pattern }, options)).rejects.toThrow(message);
  });

  test('stops when it is told to, in the middle of a file', async () => {
    const workspace = await temporaryWorkspace();
    // ripgrep may be done before.
    for (let file = 0; file < 4; file++) await writeFile(path.join(workspace.root, `${file}.txt`), slow.text);
    const stop = new AbortController();
    const running = search(workspace, { pattern: slow.pattern }, options, { signal: stop.signal });
    const ended = expect(running).rejects.toThrow('enough');
    setImmediate(() => stop.abort(new Error('enough')));
    await ended;
  });

  test('says when its time is over', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
    expect(await search(workspace, { pattern: 'x' }, { ...options, timeoutMs: 0 })).toMatch(
      /stopped after 0 seconds; search a smaller folder/,
    );
  });

  test('a pattern and a file that look like options are none', async () => {
    const workspace = await temporaryWorkspace({ '--pre=touch evil': 'x --files\n', '-f': 'y\n' });
    expect(await search(workspace, { pattern: '--files' }, options)).toBe('--pre=touch evil:1: x --files');
    expect(await search(workspace, { pattern: 'y', path: '-f' }, options)).toBe('-f:1: y');
  });

  test('names that break lines stand on one line', async () => {
    const workspace = await temporaryWorkspace({ 'a\nb.txt': 'x\n', 'c\u001b[31m.txt': 'x\n', 'd\u202e.txt': 'x\n' });
    expect(await search(workspace, { pattern: 'x' }, options)).toBe(
      '"a\\nb.txt":1: x\n"c\\u001b[31m.txt":1: x\n"d\\u202e.txt":1: x',
    );
  });

  test('says that a name is not UTF-8', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
    const name = Buffer.concat([Buffer.from(`${workspace.root}/caf`), Buffer.from([0xe9])]);
    await writeFile(name, 'x\n');
    expect(await search(workspace, { pattern: 'x' }, options)).toBe(
      'a.txt:1: x\n[1 files were not searched: their names are not UTF-8]',
    );
  });

  test('leaves out what git ignores, unless its folder is named', async () => {
    const workspace = await temporaryWorkspace({
      '.gitignore': '*.log\n/out\n!keep.log\n',
      'a.log': 'x',
      'keep.log': 'x',
      'out/b.txt': 'x',
      'src/out/c.txt': 'x',
      'src/.gitignore': 'own.txt\n',
      'src/own.txt': 'x',
      'own.txt': 'x',
    });
    expect(await search(workspace, { pattern: '^x' }, options)).toBe('keep.log:1: x\nown.txt:1: x\nsrc/out/c.txt:1: x');
    expect(await search(workspace, { pattern: '^x', path: 'out' }, options)).toBe('out/b.txt:1: x');
    expect(await search(workspace, { pattern: '^x', path: 'src' }, options)).toBe('src/out/c.txt:1: x');
    expect(await search(workspace, { pattern: '^x', path: 'a.log' }, options)).toBe('a.log:1: x');
  });

  test('takes names as long and as odd as a file system has them', async () => {
    const odd = ['...', '!a', '#b', ' c', 'd ', 'e\\f', '-g', 'h*', '[i]', "j'k", '..l'];
    const folder = Array.from({ length: 12 }, () => 'n'.repeat(240)).join('/');
    const long = Array.from({ length: 60 }, (_, index) => `${folder}/${index}`);
    const workspace = await temporaryWorkspace(Object.fromEntries([...odd, ...long].map((name) => [name, 'x\n'])));
    const lines = (await search(workspace, { pattern: 'x' }, options)).split('\n');
    expect(lines).toHaveLength(odd.length + long.length);
    expect(lines.every((line) => line.endsWith(':1: x'))).toBe(true);
  });

  test('says that a file is too long to be searched', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
    await truncate(path.join(workspace.root, 'a.txt'), 10_000_001);
    await expect(search(workspace, { pattern: 'x', path: 'a.txt' }, options)).rejects.toThrow(
      /10000001 bytes; 10000000 are/,
    );
    expect(await search(workspace, { pattern: 'x' }, options)).toBe("Nothing matches /x/ in '.'.");
  });

  test('waits for no FIFO, and says what it is when it is named', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\n' });
    execFileSync('mkfifo', [path.join(workspace.root, 'pipe')]);
    expect(await search(workspace, { pattern: 'x' }, options)).toBe('a.txt:1: x');
    await expect(search(workspace, { pattern: 'x', path: 'pipe' }, options)).rejects.toThrow(/'pipe' is a FIFO/);
  });
});

describe('the thread of RE2', () => {
  const find = (workspace: Workspace, pattern: string, context: object = {}) =>
    search(workspace, { pattern }, { ripgrep: false }, context);
  /** Returns how many threads start while this is done. */
  const startedBy = async (work: () => Promise<void>): Promise<number> => {
    let started = 0;
    const count = () => void started++;
    process.on('worker', count);
    await work().finally(() => process.off('worker', count));
    return started;
  };

  test('serves one search after another, also after a pattern that it refuses', async () => {
    const workspace = await temporaryWorkspace({ 'a.txt': 'x\ny\n' });
    await find(workspace, 'x');
    const started = await startedBy(async () => {
      expect(await find(workspace, 'y')).toBe('a.txt:2: y');
      await expect(find(workspace, '(')).rejects.toThrow(/no regular expression/);
      expect(await find(workspace, 'x')).toBe('a.txt:1: x');
    });
    expect(started).toBe(0);
  });

  test('is given up with a search that is aborted or out of time, and the searches after it have a new one', async () => {
    const workspace = await temporaryWorkspace({ 'long.txt': slow.text });
    const small = await temporaryWorkspace({ 'a.txt': 'x\n' });
    const stop = new AbortController();
    await find(small, 'x');
    const started = await startedBy(async () => {
      const running = expect(find(workspace, slow.pattern, { signal: stop.signal })).rejects.toThrow('enough');
      // Meanwhile another search has a thread of its own.
      expect(await find(small, 'x')).toBe('a.txt:1: x');
      stop.abort(new Error('enough'));
      await running;
      expect(await find(small, 'x')).toBe('a.txt:1: x');
      const late = await search(workspace, { pattern: slow.pattern }, { ripgrep: false, timeoutMs: 50 });
      expect(late).toContain('stopped after 0.05 seconds');
      expect(await find(small, 'x')).toBe('a.txt:1: x');
    });
    expect(started).toBe(2);
  });

  test('is of one search at a time', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `${index}\n`).join('');
    const workspace = await temporaryWorkspace({ 'a.txt': text, 'b.txt': text });
    const numbers = [17, 27, 37, 47];
    const found = await Promise.all(numbers.map((number) => find(workspace, `^${number}$`)));
    expect(found).toEqual(numbers.map((number) => `a.txt:${number + 1}: ${number}\nb.txt:${number + 1}: ${number}`));
  });
});

test('a repository cannot stop the walk with its ignore rules', async () => {
  const deep = Array.from({ length: 30 }, () => 'a').join('/');
  const workspace = await temporaryWorkspace({ '.gitignore': `${'**/a/'.repeat(20)}b\n`, [`${deep}/c.txt`]: 'x\n' });
  expect(await search(workspace, { pattern: 'x', path: '.' }, { ripgrep: false })).toContain('c.txt:1: x');
});

test('a ripgrep of the workspace is never run, nor a program that only has the name', async () => {
  const [workspace, other] = [await temporaryWorkspace(), await temporaryWorkspace()];
  const script = '#!/bin/sh\ntouch "$(dirname "$0")/ran"\necho ripgrep 99\n';
  for (const [{ root }, text] of [
    [workspace, script],
    [other, '#!/bin/sh\necho something else\n'],
  ] as const) {
    await mkdir(path.join(root, 'bin'));
    await writeFile(path.join(root, 'bin/rg'), text);
    await chmod(path.join(root, 'bin/rg'), 0o755);
  }
  const searchPath = [path.join(workspace.root, 'bin'), 'bin', path.join(other.root, 'bin')].join(':');
  expect(await findRipgrep(workspace, searchPath)).toBeUndefined();
  expect(execFileSync('ls', [path.join(workspace.root, 'bin')]).toString()).toBe('rg\n');
});

test('files that are closed are not searched, neither in a folder nor by their names', async () => {
  const workspace = await temporaryWorkspace({ '.env': 'KEY=1\n', 'a/.env': 'KEY=2\n', 'a/b.txt': 'KEY=3\n' });
  const isClosed = (file: string) => file.endsWith('.env');
  for (const [, options] of engines) {
    const all = await search(workspace, { pattern: 'KEY' }, { ...options, isClosed });
    expect(all).toBe('a/b.txt:1: KEY=3\n[2 files were not searched: a rule closes them]');
    const one = search(workspace, { pattern: 'KEY', path: 'a/../.env' }, { ...options, isClosed });
    await expect(one).rejects.toThrow("'.env' is not searched: a rule closes it.");
  }
});

test('a bundle that has no file for the thread says so, and ripgrep works in it; with the file the thread does, too', async () => {
  const workspace = await temporaryWorkspace({ 'a.txt': 'x\r\n' });
  const program = await bundledProgram('search-process', path.join(workspace.root, 'node_modules'));
  const printed = execFileSync(process.execPath, [program, workspace.root]).toString();
  expect(printed).toMatch(/SearchWorkerError The search has no search-worker.mjs beside the program. Keep/);
  if (ripgrep !== undefined) expect(printed).toMatch(/^a.txt:1: x$/m);

  // With the file it works, and the process ends by itself: the thread that rests does not keep it alive.
  const modules = path.dirname(program);
  await copyFile(path.join(import.meta.dirname, 'search-worker.mjs'), path.join(modules, 'search-worker.mjs'));
  const re2 = path.join(createRequire(import.meta.url).resolve('re2js'), '../..');
  await symlink(re2, path.join(modules, 're2js'));
  const found = execFileSync(process.execPath, [program, workspace.root], { timeout: 60_000 }).toString();
  expect(found).toBe('a.txt:1: x\na.txt:1: x\n');
});
