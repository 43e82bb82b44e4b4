import { isRead, siteName, installed } from './pages.js';
import type { ApiPage, Page } from './pages.js';

/** An item of VitePress's sidebar. */
export interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
  readonly collapsed?: boolean;
}

/** A page with the title that its text begins with. */
export interface TitledPage extends Page {
  readonly title: string;
}

/** The pages that people read, in the order in which they make sense. A test finds a page that is missing here. */
export const guide: readonly { readonly text: string; readonly pages: readonly string[] }[] = [
  {
    text: 'Start',
    pages: [
      'start/sdk.md',
      'start/frameworks.md',
      'start/agents.md',
      'start/condenser.md',
      'start/service.md',
      'start/look.md',
      'start/coding-agents.md',
    ],
  },
  {
    text: 'Ideas',
    pages: [
      'ideas/log.md',
      'ideas/view.md',
      'ideas/cut-points.md',
      'ideas/cache.md',
      'ideas/when-it-pays.md',
      'ideas/what-is-kept.md',
    ],
  },
  { text: 'Decide', pages: ['choosing.md', 'results.md'] },
  {
    text: 'Versus',
    pages: [
      'versus/index.md',
      'versus/anthropic.md',
      'versus/openai.md',
      'versus/ai-sdk.md',
      'versus/langchain.md',
      'versus/mastra.md',
    ],
  },
  { text: 'Run it', pages: ['services.md', 'security.md', 'versioning.md', 'glossary.md'] },
];

/** Returns the sidebars by the beginning of a page's address. */
export function sidebars(
  pages: readonly TitledPage[],
  api: readonly ApiPage[],
): Readonly<Record<string, readonly Item[]>> {
  const titles = new Map(pages.map(({ page, title }) => [page, title]));
  const item = (page: string): Item => ({ text: titles.get(page) ?? page, link: linkTo(page) });
  const below = (beginning: string): readonly Item[] =>
    pages
      .filter(({ page }) => page.startsWith(beginning) && page !== `${beginning}index.md`)
      .map(({ page }) => item(page));

  const packageItems = installed.map((each) => {
    const name = siteName(each);
    return {
      text: name,
      link: `/packages/${name}/`,
      collapsed: true,
      items: [
        ...below(`packages/${name}/`),
        ...below(`reference/${name}/`),
        ...api
          .filter(({ shortName }) => shortName === name)
          .map((each) => ({ text: `API: ${each.name}`, link: linkTo(each.page) })),
      ],
    };
  });
  const packages = [{ text: 'Packages', link: '/packages/', items: packageItems }];
  const reference = [
    { text: 'Configuration', items: below('reference/configuration/') },
    { text: 'Plugins for agents', items: below('reference/agents/') },
    {
      text: 'Look up',
      items: [
        item('reference/live.md'),
        item('reference/runtimes.md'),
        item('reference/provider-rules.md'),
        item('reference/condensers/condensers.md'),
        item('reference/palimpsest-harness/measures.md'),
      ],
    },
  ];
  return {
    '/packages/': packages,
    '/reference/': [...reference, ...packages],
    '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: below('decisions/') }],
    '/': guide.map(({ text, pages: own }) => ({ text, items: own.map(item) })),
  };
}

/** Returns `llms.txt`: what there is to read, as Markdown, by https://llmstxt.org. */
export function llmsText(pages: readonly (TitledPage & { readonly summary: string })[]): string {
  const byPage = new Map(pages.map((each) => [each.page, each]));
  const line = ({ page, title, summary }: (typeof pages)[number]): string =>
    `- [${page.startsWith('reference/api/') ? 'API of ' : ''}${title}](${page})${summary === '' ? '' : `: ${summary}`}`;
  const inGuide = guide.flatMap(({ text, pages: own }) => [
    `## ${text}`,
    '',
    ...own.flatMap((page) => byPage.get(page) ?? []).map(line),
    '',
  ]);
  const rest = pages.filter((each) => isRead(each) && each.page.startsWith('packages/'));
  const reference = pages.filter(({ page }) => page.startsWith('reference/'));
  return [
    '# Palimpsest',
    '',
    '> Context condensation for TypeScript agents, as small packages. A log keeps the history whole; the model reads a view of it that fits',
    '> the window, costs less, and still shows what later calls need. Each page of this site is Markdown at the same address with `.md`.',
    '',
    ...inGuide,
    '## Skill',
    '',
    '- [add-condensation](skills/add-condensation/SKILL.md): tells a coding agent how to add condensation to a project.',
    '',
    '## Packages',
    '',
    ...rest.map(line),
    '',
    '## Optional',
    '',
    ...reference.map(line),
    '',
  ].join('\n');
}

/** The address of a page in the site, without the base. */
export function linkTo(page: string): string {
  return `/${page.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '.html')}`;
}
