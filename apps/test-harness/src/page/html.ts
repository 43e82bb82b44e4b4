import { createHash } from 'node:crypto';

/** The bundled script and the style of a page. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** What a page holds. */
export interface HtmlPage extends PageAssets {
  readonly title: string;
  /** Elements before the script, which it reads at once. */
  readonly before: readonly string[];
  /** Elements behind the script, which it reads when they are there. @defaultValue none */
  readonly after?: readonly string[];
  /** Directives of the policy besides those of every page. @defaultValue none */
  readonly allowed?: readonly string[];
}

/**
 * Returns a page as HTML: script, style and data stand in it, and it loads nothing. Its policy allows the one script and the one
 * style by their digests, so nothing else runs or is fetched.
 */
export function htmlPage({ title, script, style, before, after = [], allowed = [] }: HtmlPage): string {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('the assets of the page end its tags');
  const policy = [
    `default-src 'none'`,
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    ...allowed,
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${title}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page is drawn by the script that stands in it; allow scripts to read it.</noscript>',
    '<div id="page"></div>',
    ...before,
    `<script>${script}</script>`,
    ...after,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Makes an element that holds JSON, which no browser runs. */
export function dataElement(id: string, json: string): string {
  return `<script type="application/json" id="${id}">${scriptJson(json)}</script>`;
}

/** Makes JSON stand in a script element: no text in it ends the element or begins a comment. Lone surrogates stay escaped. */
export function scriptJson(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
