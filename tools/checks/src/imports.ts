import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import ts from 'typescript';

/**
 * Returns the modules imported by a file and by all files that it reaches by relative imports. Includes `import()` and
 * `require`.
 */
export function externalImports(entry: string): ReadonlySet<string> {
  const external = new Set<string>();
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const name of importsOfFile(file)) {
      if (name.startsWith('.')) open.push(resolveRelative(file, name));
      else external.add(name);
    }
  }
  return external;
}

/** Entries share files. To parse each once takes half of the time. */
const parsed = new Map<string, readonly string[]>();

function importsOfFile(file: string): readonly string[] {
  const imports = parsed.get(file) ?? importsOf(readFileSync(file, 'utf8'));
  parsed.set(file, imports);
  return imports;
}

/** Uses the full parser: TypeScript's faster `preProcessFile` misses imports after some regular expressions and templates. */
function importsOf(source: string): readonly string[] {
  const found: string[] = [];
  // Most files have imports at their top alone.
  const hasNested = /\b(?:import|require|loadModule)\s*\(/.test(source);
  const visit = (node: ts.Node): void => {
    const named = moduleNamedBy(node);
    if (named !== undefined && ts.isStringLiteralLike(named)) found.push(named.text);
    if (node.kind === ts.SyntaxKind.SourceFile || hasNested) ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return found;
}

function moduleNamedBy(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!ts.isCallExpression(node)) return undefined;
  const { kind } = node.expression;
  const isLoader = ts.isIdentifier(node.expression) && loaders.includes(node.expression.text);
  return kind === ts.SyntaxKind.ImportKeyword || isLoader ? node.arguments[0] : undefined;
}

/** The build of the reference agent turns `import()` into `loadModule()`. */
const loaders = ['require', 'loadModule'];

export function isNodeBuiltin(name: string): boolean {
  return name.startsWith('node:') || builtinModules.includes(name);
}

/** Returns the package of a specifier: `@scope/name` of `@scope/name/sub/path`, `name` of `name/sub/path`. */
export function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/** In a declaration file, an import of `x.js` means the declaration file `x.d.ts`. */
function resolveRelative(from: string, name: string): string {
  const target = path.resolve(path.dirname(from), name);
  const declaration = target.replace(/\.(c?)js$/, '.d.$1ts');
  return /\.d\.c?ts$/.test(from) && existsSync(declaration) ? declaration : target;
}
