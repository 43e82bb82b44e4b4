import { readFile } from 'node:fs/promises';
// Not TypeScript's own parser: to load that took a third of a build.
import { parseSync } from 'rolldown/utils';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Marks what the constants of a module are made of as free of side effects, so that a bundler leaves out those that nobody
 * uses: `const schema = z.object(…)` becomes a call of a function that is marked `@__PURE__`. No module of the packages has an
 * effect when it is loaded, and nothing else would tell a bundler so.
 */
export const pureConstants: Plugin = {
  name: 'pure-constants',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: withPureConstants(path, await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

function withPureConstants(path: string, text: string): string {
  // What cannot be parsed is left to esbuild, which says where.
  const values = parseSync(path, text)
    .program.body.map((statement) =>
      statement.type === 'ExportNamedDeclaration' && statement.declaration !== null ? statement.declaration : statement,
    )
    .flatMap((statement) => (statement.type === 'VariableDeclaration' ? statement.declarations : []))
    .flatMap(({ id, init }) => (id.type === 'Identifier' && init !== null ? [init] : []))
    .filter(calls);
  return values.reduceRight(
    (before, { start, end }) =>
      `${before.slice(0, start)}/* @__PURE__ */ (() => (${before.slice(start, end)}))()${before.slice(end)}`,
    text,
  );
}

/** Nodes that evaluate nothing of what is in them. */
const functions = ['ArrowFunctionExpression', 'FunctionExpression'];

/** Calls, and what may be a call: a property may be a getter, and what is spread an iterator. */
const callLike = ['CallExpression', 'ImportExpression', 'NewExpression', 'MemberExpression', 'SpreadElement'];

/** True when evaluating the syntax calls something. */
function calls(syntax: unknown): boolean {
  if (typeof syntax !== 'object' || syntax === null) return false;
  if ('type' in syntax && functions.includes(syntax.type as string)) return false;
  return ('type' in syntax && callLike.includes(syntax.type as string)) || Object.values(syntax).some(calls);
}
