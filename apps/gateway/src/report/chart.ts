import { count, tokensText } from '../receipts/phrases.js';
import type { ConversationReport, RequestReport } from './conversation-report.js';
import { html } from './html.js';
import type { Html } from './html.js';

/** The drawing's own measure: it is stretched to the width of the page. */
const [width, height] = [1_000, 200];

/** More points than this are not seen. */
const mostPoints = 1_000;

/** Draws what the agent holds beside what was sent, by request, with a line at each condensation and a tick where something came back. */
export function sizesChart({ requests, made }: ConversationReport): Html {
  if (requests.length < 2) return html``;
  const most = Math.max(...requests.map(({ held, sent }) => Math.max(held, sent)));
  const x = (request: number): string =>
    ((Math.min(request, requests.length - 1) / (requests.length - 1)) * width).toFixed(1);
  const y = (tokens: number): string => (height - (tokens / most) * (height - 4)).toFixed(1);
  const step = Math.max(1, Math.ceil(requests.length / mostPoints));
  const shown = requests
    .map((request, index) => ({ request, index }))
    .filter(({ index }) => index % step === 0 || index === requests.length - 1);
  const points = (sizeOf: (request: RequestReport) => number): string =>
    shown.map(({ request, index }) => `${x(index)},${y(sizeOf(request))}`).join(' ');
  const back = requests.flatMap(({ rereads }, index) => (rereads > 0 ? [index] : []));
  const [held, sent] = [points((request) => request.held), points((request) => request.sent)];
  const last = requests.at(-1) as RequestReport;
  const text = `By request, the agent's own list grows to ${tokensText(last.held)} tokens; the last of ${count(requests.length, 'request')} sent ${tokensText(last.sent)}. ${count(made.length, 'condensation')}.`;
  return html`<figure class="chart">
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${text}">
      <polygon class="area" points="0,${height} ${sent} ${width},${height}" />
      <polyline class="held" points="${held}" />
      <polyline class="sent" points="${sent}" />
      ${made.map(({ request }) => html`<line class="made" x1="${x(request)}" x2="${x(request)}" y1="0" y2="${height}" />`)}
      ${back.map((index) => html`<line class="back" x1="${x(index)}" x2="${x(index)}" y1="${height}" y2="${height - 16}" />`)}
    </svg>
    <span class="most">${tokensText(most)} tokens</span>
    <figcaption>
      <span class="key key-held">the agent's own list</span> <span class="key key-sent">what was sent</span>
      <span class="key key-made">condensed</span> <span class="key key-back">hidden text came back</span>
      <span class="count">${requests.length} requests →</span>
    </figcaption>
  </figure>`;
}

/** Draws two bars: the bill, and the bill without the gateway, of which the pale end is what is not known. */
export function billBars({
  bill,
  least,
  most,
  text,
}: {
  readonly bill: number;
  readonly least: number;
  readonly most: number;
  readonly text: (value: number) => string;
}): Html {
  const longest = Math.max(bill, most);
  const part = (value: number): string => (longest === 0 ? 0 : (value / longest) * width).toFixed(1);
  const bar = (kind: string, from: number, to: number): Html =>
    html`<rect class="${kind}" x="${part(from)}" y="0" width="${part(to - from)}" height="10" />`;
  const row = (name: string, bars: readonly Html[], value: string): Html =>
    html`<dt>${name}</dt>
      <dd>
        <svg viewBox="0 0 ${width} 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg><span>${value}</span>
      </dd>`;
  const without = text(least) === text(most) ? text(least) : `${text(least)} to ${text(most)}`;
  return html`<dl class="bars">
    ${row('with the gateway', [bar('bill', 0, bill)], text(bill))}
    ${row('without', [bar('least', 0, least), bar('most', least, most)], without)}
  </dl>`;
}
