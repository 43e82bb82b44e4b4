import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Options } from 'tsup';
import type * as TypeScript from 'typescript';

// Node reads a CommonJS file of nine megabytes twice more to learn what `import` finds in it.
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;

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
      contents: withPureConstants(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

function withPureConstants(text: string): string {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  const values = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name, initializer }) => (ts.isIdentifier(name) && initializer !== undefined ? [initializer] : []))
    .filter(calls);
  return values.reduceRight((before, value) => {
    const [start, end] = [value.getStart(source), value.getEnd()];
    return `${before.slice(0, start)}/* @__PURE__ */ (() => (${before.slice(start, end)}))()${before.slice(end)}`;
  }, text);
}

/** True when evaluating the expression calls something, or reads a property, which may be a getter. */
function calls(node: TypeScript.Node): boolean {
  if (ts.isFunctionLike(node)) return false;
  const isCall = ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isPropertyAccessExpression(node);
  return isCall || ts.isSpreadElement(node) || ts.isSpreadAssignment(node) || (ts.forEachChild(node, calls) ?? false);
}
