import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkedRules } from '@palimpsest/provider-servers/rules';
import { describe, expect, it } from 'vitest';
import { workspaceRoot } from './workspace.js';

const page = readFileSync(path.join(workspaceRoot, 'docs/provider-rules.md'), 'utf8');

/** The rows of the tables, with who enforces each. */
const rows = [...page.matchAll(/^\| `?([ABC](?:\d+|-[a-z-]+))`? +\|.*\| (checker|server|–) +\| *[~?]? *\|$/gm)].map(
  ([, rule = '', by = '']) => ({ rule, by }),
);
const ofCompatibleServers = [...page.matchAll(/`(D-[a-z-]+)`/g)].map(([, rule = '']) => rule);
const sections = [...page.matchAll(/^(?:#+ |- \*\*)(.*)$/gm)].flatMap(([, heading = '']) =>
  [...heading.matchAll(/(?<!\S)([A-E](?:\.\d)?)(?=[.*\s])/g)].map(([, section = '']) => section),
);
const known = new Set([...rows.map(({ rule }) => rule), ...ofCompatibleServers, ...sections]);

const id = String.raw`(?:[A-E]\.\d|[ABC]\d{1,2}|[A-D]-[a-z-]+|[A-E])(?![\w-])`;
/** `provider-rules A5, A.4 and D`. */
const citation = new RegExp(String.raw`provider-rules(?!\.md)(?: (${id}(?:(?:, | and | to )${id})*))?`, 'g');
/** An id of a rule in a comment of code that is about the rules. */
const mentioned = /(?<![\w.'`-])(?:[ABC]\.\d|[ABC]\d{1,2})(?![\w.]*\w)/g;

const aboutRules = ['packages/provider-servers/src', 'packages/llm-adapters/src'];
const sources = execFileSync('git', ['ls-files', 'packages', 'apps', 'bench'], { cwd: workspaceRoot, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, lines: readFileSync(path.join(workspaceRoot, file), 'utf8').split('\n') }));

/** Each line of the sources that something is wrong with. */
function linesThat(isWrong: (line: string, file: string) => boolean): readonly string[] {
  return sources.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) => (isWrong(line, file) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
}

describe('docs/provider-rules.md', () => {
  it('has every rule that a checker enforces, and says so of no other', () => {
    const enforced = new Set([...checkedRules.anthropic, ...checkedRules.chatCompletions, ...checkedRules.responses]);
    // A body alone does not show what a server gave out, so without one these two look at nothing.
    for (const rule of ['C5', 'C10']) enforced.delete(rule);

    expect(
      rows
        .filter(({ by }) => by === 'checker')
        .map(({ rule }) => rule)
        .sort(),
    ).toEqual([...enforced].sort());
    expect([...ofCompatibleServers].sort()).toEqual([...checkedRules.compatible].sort());
  });

  it('has a place in the servers for every rule that only a server enforces', () => {
    const code = sources
      .filter(({ file }) => file.startsWith('packages/provider-servers/src') && !file.endsWith('.test.ts'))
      .flatMap(({ lines }) => lines)
      .flatMap((line) => [...line.matchAll(citation)].flatMap(([, ids]) => idsIn(ids)));

    expect(rows.filter(({ by, rule }) => by === 'server' && !code.includes(rule))).toEqual([]);
  });

  it('has every rule and section that code cites', () => {
    expect(known.size).toBeGreaterThan(90);
    expect(
      linesThat((line) =>
        [...line.matchAll(citation)].some(
          ([, ids]) => ids === undefined || idsIn(ids).some((each) => !known.has(each)),
        ),
      ),
    ).toEqual([]);
    expect(
      linesThat(
        (line, file) =>
          aboutRules.some((folder) => file.startsWith(folder)) &&
          /^\s*(?:\/\/|\/?\*)/.test(line) &&
          [...line.matchAll(mentioned)].some(([each]) => !known.has(each)),
      ),
    ).toEqual([]);
  });
});

/** The ids of a citation, with those between `A5 to A10`. */
function idsIn(ids = ''): readonly string[] {
  return ids.split(/, | and | to /).filter((each) => each !== '');
}
