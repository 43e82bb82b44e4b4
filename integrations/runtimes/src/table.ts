import type { Run } from './run.js';

/** Returns the page of the table. */
export function table(runs: readonly Run[]): string {
  const suites = runs[0]?.results ?? [];
  const head = ['entry', 'contract of', ...runs.map(({ runtime }) => runtime)];
  const rows = suites.map(({ entry, subject }) => [
    `\`${entry}\``,
    `\`${subject}\``,
    ...runs.map(({ results }) => cell(results.find((result) => result.subject === subject))),
  ]);
  const lines = [head, head.map((_cell, index) => (index < 2 ? '---' : '--:')), ...rows];
  return `# Runtimes

The contract suites that the packages publish, run by the packages as npm packs them: passed tests of all. Written by \`npm run runtimes\`,
which installs the runtimes from npm in \`integrations/runtimes\`. Entries that are not in the table need a system: files (\`events/file\`,
\`agent/node\`), PostgreSQL (\`postgres\`, \`dbos\`), a framework.

${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

- **Node.js, Bun, Deno** load the installed packages; **workerd** and **Chromium** a bundle of them.
- The SDKs of \`openai\` and \`@anthropic-ai/sdk\` refuse to run in a page, because whoever opens it can read the key. The tests in Chromium allow it,
  by the option \`importModule\`.
- workerd runs with \`nodejs_compat\`.
`;
}

function cell(result: Run['results'][number] | undefined): string {
  if (result === undefined) return '–';
  const { passed, failed } = result;
  return failed.length === 0 ? `${passed}` : `**${passed} of ${passed + failed.length}**`;
}
