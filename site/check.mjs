// Looks at the built site: each link leads to a page or file, and to an anchor that the page has; each page is there as Markdown.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const dist = path.join(import.meta.dirname, 'dist');
const base = process.env.DOCS_BASE ?? '/';
const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
const texts = new Map(pages.map((page) => [path.join(dist, page), readFileSync(path.join(dist, page), 'utf8')]));
const anchors = new Map(
  [...texts].map(([file, text]) => [file, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
);

/** Returns the file that a static host would send, or undefined. */
function served(file) {
  if (existsSync(file) && statSync(file).isDirectory()) return served(path.join(file, 'index.html'));
  return existsSync(file) ? file : undefined;
}

const problems = [];
for (const [file, text] of texts) {
  const page = path.relative(dist, file);
  if (page !== '404.html' && !existsSync(file.replace(/\.html$/, '.md')))
    problems.push(`${page}: is not there as Markdown`);
  for (const [, link] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
    const address = link.replaceAll('&amp;', '&');
    if (/^(?:[a-z]+:|\/\/)/.test(address)) continue;
    const [target, anchor] = address.split('#');
    const place = target.startsWith('/')
      ? path.join(dist, target.slice(base.length))
      : path.join(path.dirname(file), target);
    const found = target === '' ? file : served(decodeURIComponent(place));
    if (found === undefined || (target.startsWith('/') && !target.startsWith(base)))
      problems.push(`${page}: ${address}`);
    else if (anchor && !anchors.get(found)?.has(decodeURIComponent(anchor)))
      problems.push(`${page}: ${address} (no such anchor)`);
  }
}
for (const [, target] of readFileSync(path.join(dist, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)) {
  if (!existsSync(path.join(dist, target))) problems.push(`llms.txt: ${target}`);
}

for (const problem of problems) console.error(problem);
console.log(`${pages.length} pages looked at, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
