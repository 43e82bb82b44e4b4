import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '../../tools/checks/src/workspace.js';
import type { Page } from './pages.js';

/** The address of files of the repository that are no pages of the site. */
const repository = 'https://github.com/palimpsest-ts/palimpsest';

/** The text of a page with links for its place in the site. */
export interface SiteText {
  readonly text: string;
  /** The pictures that it shows, as files of the repository. They are copied to `images/` of the site. */
  readonly images: readonly string[];
}

/**
 * Rewrites the links of a page for its place in the site: to the page that a file has become, to the copy of a picture, or else to the
 * file in the repository. Blocks of code stay as they are.
 */
export function siteText(text: string, { source, page }: Page, pages: readonly Page[]): SiteText {
  const images: string[] = [];
  const places = new Map(pages.map((each) => [each.source, each.page]));
  const toHere = (place: string): string => {
    const relative = path.posix.relative(path.posix.dirname(page), place);
    return relative.startsWith('.') ? relative : `./${relative}`;
  };
  const rewritten = (target: string): string => {
    const link = inRepository(target, source);
    if (link === undefined) return target;
    const { file, anchor } = link;
    const place = places.get(file) ?? places.get(path.posix.join(file, 'README.md')) ?? places.get(`${file}/index.md`);
    if (place !== undefined) return `${toHere(place)}${anchor === '#readme' ? '' : anchor}`;
    if (file === 'docs/decisions') return toHere('decisions/index.md');
    if (/\.(?:png|svg)$/.test(file)) {
      images.push(file);
      return toHere(`images/${file}`);
    }
    const local = path.join(workspaceRoot, file);
    const kind = existsSync(local) && statSync(local).isDirectory() ? 'tree' : 'blob';
    return `${repository}/${kind}/main/${file}${anchor}`;
  };
  const parts = text.split(/(^```[\s\S]*?^```$)/m);
  const result = parts.map((part) =>
    part.startsWith('```')
      ? part
      : part.replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${rewritten(target)})`),
  );
  return { text: result.join(''), images };
}

/** Returns the file of the repository to which a link leads, with its anchor, or undefined if it leads elsewhere. */
function inRepository(target: string, source: string): { readonly file: string; readonly anchor: string } | undefined {
  if (target.startsWith('#')) return undefined;
  const [address = '', ...rest] = target.split('#');
  const anchor = rest.length === 0 ? '' : `#${rest.join('#')}`;
  const [, onMain] =
    /^https:\/\/github\.com\/palimpsest-ts\/palimpsest\/(?:blob|tree)\/main\/(.+)$/.exec(address) ?? [];
  if (onMain !== undefined) return { file: onMain.replace(/\/$/, ''), anchor };
  if (/^[a-z]+:/.test(address)) return undefined;
  return { file: path.posix.join(path.posix.dirname(source), address).replace(/\/$/, ''), anchor };
}
