import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** A user's file under `exactOptionalPropertyTypes`: every optional property of what users write takes undefined. */
const program = `
import type {
  AttemptReport, CondensationOptions, CondenseContext, Condenser, PinOptions, RenderOptions, Replacement, Selection,
  SettlingOptions, ViewOptions,
} from './index.js';
import type { CondenserContractOptions, RandomLogOptions, ViewPropertyContractOptions } from './testing/index.js';

type Unstated<Options> = {
  [Key in keyof Options]-?: {} extends Pick<Options, Key> ? (undefined extends Required<Options>[Key] ? never : Key) : never;
}[keyof Options];

export const unstated: Record<
  | Unstated<AttemptReport> | Unstated<CondensationOptions> | Unstated<CondenseContext> | Unstated<Condenser>
  | Unstated<PinOptions> | Unstated<RenderOptions> | Unstated<Replacement> | Unstated<Selection>
  | Unstated<SettlingOptions> | Unstated<ViewOptions> | Unstated<CondenserContractOptions>
  | Unstated<RandomLogOptions> | Unstated<ViewPropertyContractOptions>,
  true
> = {};
export const seen: Unstated<{ readonly signal?: AbortSignal }> = 'signal';
export const context: CondenseContext = { signal: undefined };
`;

test('users under exactOptionalPropertyTypes pass on what may be undefined', () => {
  const file = fileURLToPath(new URL('users-options.ts', import.meta.url));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@palimpsest/source'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? program : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, program, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const compiled = ts.createProgram({ rootNames: [file], options, host });
  const source = compiled.getSourceFile(file);
  expect(source).toBeDefined();
  const found = [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)];
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
