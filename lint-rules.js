import { builtinModules } from 'node:module';
import nx from '@nx/eslint-plugin';

/** Which package may import which: the table in CONTRIBUTING.md. Apps and plugins may use every package; nothing may use them. The kit is the plugins'. */
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

const nxBoundaries = nx.rules['enforce-module-boundaries'];

const boundaryOptions = (besides) => ({
  banTransitiveDependencies: true,
  // A command loads what it needs when it needs it, and its other files import the same as usual.
  checkDynamicDependenciesExceptions: ['@palimpsest/.*'],
  depConstraints: [
    ...Object.entries(mayImport).map(([name, others]) => ({
      sourceTag: `package:${name}`,
      onlyDependOnLibsWithTags: [...others, ...besides].map((other) => `package:${other}`),
    })),
    { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:package'] },
    { sourceTag: 'type:plugin', onlyDependOnLibsWithTags: ['type:package', 'type:plugin-kit'] },
    { sourceTag: 'type:plugin-kit', onlyDependOnLibsWithTags: ['type:package'] },
    { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['*'] },
  ],
});

/** The boundaries of Nx by the table. Option `besides`: packages that a file may import, too. */
const layers = {
  ...nxBoundaries,
  meta: {
    ...nxBoundaries.meta,
    defaultOptions: undefined,
    schema: [
      {
        type: 'object',
        properties: { besides: { type: 'array', items: { enum: Object.keys(mayImport) } } },
        additionalProperties: false,
      },
    ],
  },
  create: (context) => {
    const options = [boundaryOptions(context.options[0]?.besides ?? [])];
    return nxBoundaries.create(Object.create(context, { options: { value: options } }));
  },
};

const client = {
  modules: /^(openai|@anthropic-ai\/sdk)(\/.*)?$/,
  message: 'A model client is an optional peer: only its own subpath may name it.',
};
/** What imports can be refused. */
const kinds = {
  node: {
    modules: new RegExp(`^(node:.*|(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})(/.*)?)$`),
    message: 'This code runs without Node. What needs Node stands in a subpath of its own.',
  },
  client,
  // Types of the client are allowed, and `import()` of it at the first call: the message of a missing peer is ours.
  'client-at-start': { ...client, onlyValuesAtStart: true },
  subpath: {
    modules: /^(\.{1,2}(\/.*)?|@palimpsest\/[^/]+)\/(file|node|openai|anthropic|tokens|testing)(\/.*)?$/,
    message: 'A root entry never reaches into a subpath; the subpath imports the root.',
  },
};

/** Whether a static import or export is of types alone. */
function isOfTypes({ importKind, exportKind, specifiers = [] }) {
  if (importKind === 'type' || exportKind === 'type') return true;
  return specifiers.length > 0 && specifiers.every((each) => (each.importKind ?? each.exportKind) === 'type');
}

/** Option: the kinds of modules that a file must not import, or export from. Everything that is exported is named. */
const imports = {
  meta: { type: 'problem', schema: [{ type: 'array', items: { enum: Object.keys(kinds) } }] },
  create: (context) => {
    const refused = (context.options[0] ?? []).map((kind) => kinds[kind]);
    const check = (node) => {
      const isLater = node.type === 'ImportExpression';
      for (const { modules, message, onlyValuesAtStart = false } of refused) {
        if (onlyValuesAtStart && (isLater || isOfTypes(node))) continue;
        if (modules.test(node.source?.value ?? '')) context.report({ node, message });
      }
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: (node) => {
        context.report({ node, message: 'Name what is exported.' });
        check(node);
      },
    };
  },
};

export default { meta: { name: 'palimpsest' }, rules: { layers, imports } };
