import { builtinModules } from 'node:module';
import nx from '@nx/eslint-plugin';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Which package may import which: the table in CONTRIBUTING.md. Apps may use every package; nothing may use an app. */
const mayImport = {
  events: [],
  view: ['events'],
  'llm-adapters': ['events'],
  templates: ['events'],
  condensers: ['events', 'view', 'llm-adapters', 'templates'],
  'relevance-tool': ['events', 'view'],
  messages: ['events', 'view', 'llm-adapters', 'relevance-tool'],
  'ai-sdk': ['messages'],
  langchain: ['messages'],
  'openai-agents': ['messages'],
  agent: ['events', 'view', 'llm-adapters', 'templates'],
  tools: ['events'],
  mcp: ['events', 'tools'],
  postgres: ['events'],
  dbos: ['events', 'agent', 'postgres'],
  terminal: [],
  'create-condenser': [],
  'provider-servers': [],
};

/** What the tests of every package may import besides: it imports nothing of ours. */
const testsMayImport = ['provider-servers'];

const tests = ['**/*.test.ts', '**/*.test-d.ts', '**/test-support/**/*.ts'];

const boundaries = (besides = []) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      banTransitiveDependencies: true,
      // A command loads what it needs when it needs it, and its other files import the same as usual.
      checkDynamicDependenciesExceptions: ['@palimpsest/.*'],
      depConstraints: [
        ...Object.entries(mayImport).map(([name, others]) => ({
          sourceTag: `package:${name}`,
          onlyDependOnLibsWithTags: [...others, ...besides].map((other) => `package:${other}`),
        })),
        { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:package'] },
        { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['*'] },
      ],
    },
  ],
});

const layers = [
  { files: ['**/src/**/*.ts', '**/src/**/*.mjs'], plugins: { '@nx': nx }, rules: boundaries() },
  { files: tests, plugins: { '@nx': nx }, rules: boundaries(testsMayImport) },
  {
    files: [
      'packages/{messages,ai-sdk,langchain,openai-agents}/src/**/*.test.ts',
      'packages/{messages,ai-sdk,langchain,openai-agents}/test-support/**/*.ts',
    ],
    plugins: { '@nx': nx },
    // What a history is for are the condensers. Its code takes any, and any store.
    rules: boundaries([...testsMayImport, 'condensers', 'events']),
  },
  {
    files: ['packages/dbos/src/**/*.test.ts', 'packages/dbos/test-support/**/*.ts'],
    plugins: { '@nx': nx },
    // What workers run are whole agents.
    rules: boundaries([...testsMayImport, 'condensers', 'llm-adapters']),
  },
  {
    files: ['packages/postgres/src/**/*.test.ts', 'packages/postgres/test-support/**/*.ts'],
    plugins: { '@nx': nx },
    // The contract of the port of rates, and a model whose calls are counted.
    rules: boundaries([...testsMayImport, 'llm-adapters']),
  },
  // Outside of the workspaces: they are users of our packages, and run the suites of their tests.
  { files: ['integrations/**/*.ts'], plugins: { '@nx': nx }, rules: { '@nx/enforce-module-boundaries': 'off' } },
];

const nodeBuiltins = {
  regex: `^(node:.*|(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})(/.*)?)$`,
  message: 'This code runs without Node. What needs Node stands in a subpath of its own.',
};
const modelClients = {
  regex: '^(openai|@anthropic-ai/sdk)(/.*)?$',
  message: 'A model client is an optional peer: only its own subpath may name it.',
};
const subpaths = {
  regex: String.raw`^(\.{1,2}(/.*)?|@palimpsest/[^/]+)/(file|node|openai|anthropic|tokens|testing)(/.*)?$`,
  message: 'A root entry never reaches into a subpath; the subpath imports the root.',
};

/** Bans modules in static imports and, unless `dynamicImports` says that they are allowed, in `import()`. */
const restricted = (patterns, { dynamicImports = patterns } = {}) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
  'no-restricted-syntax': [
    'error',
    { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
    ...dynamicImports.map(({ regex, message }) => ({
      selector: `ImportExpression[source.value=/${regex.replaceAll('/', String.raw`\/`)}/]`,
      message,
    })),
  ],
});

/** Code whose subject is Node. */
const nodeFolders = [
  'packages/events/src/file/**',
  'packages/agent/src/node/**',
  'packages/condensers/src/node/**',
  'packages/create-condenser/src/**',
  'packages/mcp/src/**',
  'packages/dbos/src/**',
  'packages/provider-servers/src/**',
  'packages/terminal/src/**',
  'packages/tools/src/**',
];
const clientFolders = ['openai', 'anthropic', 'by-name'].map((name) => `packages/llm-adapters/src/${name}/**`);
const testingFolders = ['packages/*/src/testing/**'];

const portability = [
  {
    files: ['packages/*/src/**/*.ts'],
    ignores: [...tests, ...testingFolders, ...nodeFolders, ...clientFolders],
    rules: restricted([nodeBuiltins, modelClients, subpaths]),
  },
  {
    files: clientFolders,
    ignores: tests,
    // Types of the client, and `import()` of it at the first call: the message of a missing peer is ours.
    rules: restricted([nodeBuiltins, { ...modelClients, allowTypeImports: true }], { dynamicImports: [nodeBuiltins] }),
  },
  {
    files: nodeFolders,
    ignores: tests,
    rules: restricted([modelClients]),
  },
  {
    files: ['packages/*/src/**/*.ts'],
    ignores: [...tests, ...testingFolders, ...nodeFolders],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'require', '__dirname', '__filename'] },
  },
];

/** What needs no types: the rules that need them stand in .oxlintrc.json. */
const sources = {
  files: ['**/*.ts', '**/*.mjs'],
  extends: [tseslint.configs.recommended],
};

const sourcesOnly = {
  files: ['**/src/**/*.ts', '**/test-support/**/*.ts'],
  rules: {
    eqeqeq: 'error',
    '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    '@typescript-eslint/no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
    ],
  },
};

export default defineConfig(
  { ignores: ['**/node_modules', '**/dist', '**/out-tsc', '**/coverage', '**/sample-project', '.nx', '.palimpsest'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  sources,
  sourcesOnly,
  ...layers,
  ...portability,
);
