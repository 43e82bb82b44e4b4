import { createHash } from 'node:crypto';
import type { PageData } from './page-data.js';

/** The bundled script and the style of the page. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** The id of the element with the {@link PageData}. */
export const pageDataId = 'page-data';

/**
 * The page as HTML: script, style and data stand in it, and it loads nothing. Its policy allows the one script and the one style
 * by their digests, so nothing else runs or is fetched.
 */
export function pageHtml(data: PageData, timelines: readonly string[], { script, style }: PageAssets): string {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('the assets of the page end its tags');
  const policy = [
    `default-src 'none'`,
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
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
    '<title>What your agent’s sessions cost · Palimpsest</title>',
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page is drawn by the script that stands in it; allow scripts to read it.</noscript>',
    '<div id="page"></div>',
    `<script type="application/json" id="${pageDataId}">${scriptJson(JSON.stringify(data))}</script>`,
    ...timelines,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Makes the element that holds the timeline of a session, from JSON. The page reads it when the session is opened. */
export function timelineElement(session: number, timeline: string): string {
  return `<script type="application/json" id="timeline-${session}">${scriptJson(timeline)}</script>`;
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
