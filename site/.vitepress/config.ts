import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import type { DefaultTheme } from 'vitepress';

const site = path.resolve(import.meta.dirname, '..');
const content = path.join(site, 'content');
const sidebar = JSON.parse(readFileSync(path.join(content, 'navigation.json'), 'utf8')) as DefaultTheme.SidebarMulti;

/** The place of the site on its host: `/palimpsest/` for a project's page. */
const base = process.env['DOCS_BASE'] ?? '/';
const description = 'Context condensation for TypeScript agents';

export default defineConfig({
  title: 'Palimpsest',
  description,
  lang: 'en-GB',
  base,
  srcDir: 'content',
  srcExclude: ['public/**'],
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  // Any static host serves the files as they are.
  cleanUrls: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }]],
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `${base}${page}` }]],
  buildEnd: ({ outDir }) => {
    // Each page as Markdown, beside its HTML.
    for (const page of readdirSync(content, { recursive: true, encoding: 'utf8' })) {
      if (page.endsWith('.md') && !page.startsWith('public')) cpSync(path.join(content, page), path.join(outDir, page));
    }
    if (existsSync(path.join(content, 'images'))) {
      cpSync(path.join(content, 'images'), path.join(outDir, 'images'), { recursive: true });
    }
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    config: (md) => {
      // Vue would take two braces in a text for an expression. A number and its sign stay on one line.
      md.renderer.rules.text = (tokens, index) =>
        md.utils
          .escapeHtml(tokens[index]!.content)
          .replaceAll('{{', '&#123;&#123;')
          .replaceAll(/(?<=\d) (?=%)|(?<=≥) (?=\d)/g, '\u00a0');
      const image = md.renderer.rules.image!;
      md.renderer.rules.image = (tokens, index, options, env, self) => {
        const source = tokens[index]!.attrGet('src') ?? '';
        if (!source.includes('/drawings/')) return image(tokens, index, options, env, self);
        const name = path.basename(source);
        return drawing(name, tokens[index]!.content);
      };
    },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/start/sdk', activeMatch: '^/start/' },
      { text: 'Ideas', link: '/ideas/log', activeMatch: '^/ideas/' },
      { text: 'Choose', link: '/choosing' },
      { text: 'Versus', link: '/versus/', activeMatch: '^/versus/' },
      { text: 'Packages', link: '/packages/', activeMatch: '^/packages/' },
      { text: 'Reference', link: '/reference/configuration/palimpsest', activeMatch: '^/reference/' },
      { text: 'Decisions', link: '/decisions/', activeMatch: '^/decisions/' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    socialLinks: [{ icon: 'github', link: 'https://github.com/palimpsest-ts/palimpsest' }],
    search: {
      provider: 'local',
      options: {
        // What explains comes before what is looked up.
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) => (/\/(?:reference|decisions)\//.test(id) ? 0.5 : 1),
          },
        },
        // Of the API the names alone: its texts would be most of what a reader loads to search.
        _render: (source, env, md) => {
          const html = md.render(source, env);
          if (!env.relativePath.startsWith('reference/api/')) return html;
          return [...html.matchAll(/<h[1-3][\s\S]*?<\/h[1-3]>/g)].map(([heading]) => heading).join('\n');
        },
      },
    },
    footer: { message: 'MIT licence. <a href="' + base + 'llms.txt">llms.txt</a>, and each page as Markdown.' },
  },
});

/** A drawing in the page itself, so that its colours follow the theme. */
function drawing(name: string, alternative: string): string {
  const svg = readFileSync(path.join(site, 'pages/drawings', name), 'utf8').replace(/<style>[\s\S]*?<\/style>/, '');
  const label = alternative.replaceAll('"', '&quot;');
  return svg.trim().replace('<svg ', `<svg class="drawing" role="img" aria-label="${label}" v-pre `);
}
