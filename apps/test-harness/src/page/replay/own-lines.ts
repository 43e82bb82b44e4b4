import type { PricedSizes } from '../../replay/replay-text.js';

/** A framework, and the lines with which a program on it uses a condenser. */
export interface Framework {
  readonly name: string;
  readonly packages: readonly string[];
  /** What is imported, from where. */
  readonly imported: readonly [names: string, from: string];
  /** The lines that use it. @param condenser - an expression */
  readonly use: (condenser: string) => string;
}

const history = (codec: string) => (condenser: string) =>
  [
    `const history = condensedHistory({ condenser: ${condenser}, codec: ${codec}(), model });`,
    'const { messages } = await history.fit(conversation, { tools }); // before each request',
  ].join('\n');

/** The frameworks, those without one first. A test holds each name against what the package exports. */
export const frameworks: readonly Framework[] = [
  {
    name: 'a loop on the OpenAI SDK',
    packages: ['@palimpsest/messages'],
    imported: ['chatMessages, condensedHistory', '@palimpsest/messages'],
    use: history('chatMessages'),
  },
  {
    name: 'a loop on the Anthropic SDK',
    packages: ['@palimpsest/messages'],
    imported: ['anthropicMessages, condensedHistory', '@palimpsest/messages'],
    use: history('anthropicMessages'),
  },
  {
    name: 'AI SDK',
    packages: ['@palimpsest/ai-sdk'],
    imported: ['condensing', '@palimpsest/ai-sdk'],
    use: (condenser) =>
      `const prepareStep = condensing({ condenser: ${condenser} }); // generateText({ …, prepareStep })`,
  },
  {
    name: 'LangChain',
    packages: ['@palimpsest/langchain'],
    imported: ['condensing', '@palimpsest/langchain'],
    use: (condenser) =>
      `const middleware = [condensing({ condenser: ${condenser} })]; // createAgent({ …, middleware })`,
  },
  {
    name: 'OpenAI Agents SDK',
    packages: ['@palimpsest/openai-agents'],
    imported: ['condensingModel', '@palimpsest/openai-agents'],
    use: (condenser) =>
      `const condensed = condensingModel(model, { condenser: ${condenser} }); // new Agent({ …, model: condensed })`,
  },
];

/** The sizes of `priced` unless it is told otherwise. */
export const defaultSizes: PricedSizes = { targetTokens: 12_000, maxLineTokens: 7_500 };

/** Returns the command that installs what the lines import. */
export function installLine({ packages }: Framework): string {
  return `npm install @palimpsest/condensers ${packages.join(' ')}`;
}

/** Returns the lines of a program that condenses with `priced` of these sizes. */
export function ownLines({ imported: [names, from], use }: Framework, sizes: PricedSizes): string {
  const { targetTokens, maxLineTokens } = sizes;
  const isDefault = targetTokens === defaultSizes.targetTokens && maxLineTokens === defaultSizes.maxLineTokens;
  const ours = isDefault ? 'pricedCondenser' : 'digestCondenser, pricedCondenser';
  const imports = [`import { ${ours} } from '@palimpsest/condensers';`, `import { ${names} } from '${from}';`];
  if (isDefault) return [...imports, use('pricedCondenser()')].join('\n');
  const options = `maxSize: Number.MAX_SAFE_INTEGER, keepFirst: 1, targetTokens: ${targetTokens}, maxLineTokens: ${maxLineTokens}`;
  return [...imports, `const stages = [digestCondenser({ ${options} })];`, use('pricedCondenser({ stages })')].join(
    '\n',
  );
}
