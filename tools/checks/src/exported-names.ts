import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { entryPoints, type Workspace } from './workspace.js';

/** An entry of a package and the names that it exports. */
export interface Entry {
  /** As users import it, such as `@palimpsest/events/file`. */
  readonly specifier: string;
  /** In alphabetical order. */
  readonly names: readonly { readonly name: string; readonly isType: boolean }[];
}

/** Returns the entries of a package with the names that their sources export: lint refuses `export *`. */
export function entriesOf({ directory, manifest }: Workspace): readonly Entry[] {
  return entryPoints(manifest).flatMap((entry) => {
    const source = (manifest.exports?.[entry] as Readonly<Record<string, unknown>>)['@palimpsest/source'];
    if (typeof source !== 'string') return [];
    const names = namesIn(readFileSync(path.join(directory, source), 'utf8'));
    return [{ specifier: manifest.name + entry.slice(1), names }];
  });
}

/** Returns the entries as a page: an entry a paragraph, a name a line. */
export function reportOf(entries: readonly Entry[]): string {
  return entries
    .map(({ specifier, names }) => {
      const lines = names.map(({ name, isType }) => `  ${isType ? 'type ' : ''}${name}\n`);
      return `${specifier} (${names.length})\n${lines.join('')}`;
    })
    .join('\n');
}

/** @throws Error at a statement that exports without a name. */
export function namesIn(text: string): Entry['names'] {
  const file = ts.createSourceFile('index.ts', text, ts.ScriptTarget.Latest);
  const names = file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, isTypeOnly } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw new Error('Name what is exported.');
      return exportClause.elements.map(({ name, isTypeOnly: isOne }) => ({
        name: name.text,
        isType: isTypeOnly || isOne,
      }));
    }
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return declared.map((each) => ({ name: declaredName(each), isType }));
  });
  return names.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function declaredName(node: ts.Node): string {
  const name = ts.getNameOfDeclaration(node as ts.Declaration);
  if (name === undefined || !ts.isIdentifier(name)) throw new Error('Name what is exported.');
  return name.text;
}
