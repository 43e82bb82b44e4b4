import { fileURLToPath } from 'node:url';
import { API } from '@typescript/native-preview/unstable/sync';
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
// @ts-expect-error This one may not be undefined: the types are known, and the compiler does look.
export const pinned: PinOptions & { readonly id?: string } = { id: undefined };
`;

test('users under exactOptionalPropertyTypes pass on what may be undefined', () => {
  expect(typeProblems(new URL('users-options.ts', import.meta.url), program)).toEqual([]);
});

/** What TypeScript says of a user's program under `exactOptionalPropertyTypes`. No file is written: its name is where it would stand. */
function typeProblems(name: URL, program: string): readonly string[] {
  const file = fileURLToPath(name);
  const configuration = `${file}.tsconfig.json`;
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'es2024.string'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    customConditions: ['@palimpsest/source'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const written = new Map([
    [file, program],
    [configuration, JSON.stringify({ compilerOptions, files: [file] })],
  ]);
  const api = new API({
    fs: { fileExists: (path) => (written.has(path) ? true : undefined), readFile: (path) => written.get(path) },
  });
  try {
    const compiled = api.updateSnapshot({ openProjects: [configuration] }).getProject(configuration)?.program;
    if (compiled?.getSourceFile(file) === undefined) throw new Error(`${file} was not compiled`);
    return [
      ...compiled.getConfigFileParsingDiagnostics(),
      ...compiled.getSyntacticDiagnostics(file),
      ...compiled.getSemanticDiagnostics(file),
    ].map(({ text }) => text);
  } finally {
    api.close();
  }
}
