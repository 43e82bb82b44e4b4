import { createHash } from 'node:crypto';
import { reasonText } from '@palimpsest/view/inspect';
import { habit } from '../receipts/account.js';
import { count, heldOutText, rangeText, savedText, tokensText, usdText } from '../receipts/phrases.js';
import { billBars, sizesChart } from './chart.js';
import type { CondensationReport, ConversationReport } from './conversation-report.js';
import { Html, html } from './html.js';
import { pageStyle } from './page-style.js';
import type { Report } from './read-report.js';
import { rangeCell, timeText, warningsOf, withoutOf } from './report-text.js';

/** Returns the report as one page that loads nothing and runs nothing: its policy allows its one style, by its digest. */
export function reportPage(
  { total, conversations, heldOut, skippedLines }: Report,
  shown: readonly ConversationReport[],
  now: Date,
): string {
  const digest = createHash('sha256').update(pageStyle).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'`;
  // The digest is of each character between the tags.
  const style = new Html(`<style>${pageStyle}</style>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>What your agents cost · Palimpsest</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        <header>
          <p class="title">Palimpsest <span>what your agents cost behind the gateway</span></p>
        </header>
        <main>
          <section class="headline">
            <h1>
              ${conversations.length === 0 ? 'No receipts are kept here.' : `In ${count(conversations.length, 'conversation')} the gateway has ${savedText(total)} up to now.`}
            </h1>
            <dl class="cards">
              ${card('Bill', amountText(total.actual.usd, total.actual.inputTokens))}
              ${card('Without the gateway', rangeText(withoutOf(total), textOf(total)))}
              ${card('Requests', String(total.counted + total.uncounted))}
              ${card('Condensations', String(total.condensations))} ${card('Results read again', String(total.rereads))}
            </dl>
            ${heldOut !== undefined && html`<p class="note">${heldOutText(heldOut)}</p>`}
          </section>
          ${conversations.length > 0 && conversationTable(conversations, new Set(shown))}
          ${shown.map(conversationSection)} ${explanation(conversations.length - shown.length)}
        </main>
        <footer>
          <p>
            Made by palimpsest-gateway on
            ${timeText(now.toISOString())}.${skippedLines > 0 && ` ${count(skippedLines, 'line')} of the receipts could not be read, and stand in no figure.`}
            Nothing on this page is loaded from elsewhere, and nothing of it runs.
          </p>
        </footer>
      </body>
    </html> `.markup;
}

function card(name: string, value: string): Html {
  return html`<div class="card">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** The columns of the table behind the name. */
const columns: readonly (readonly [head: string, cell: (one: ConversationReport) => string | number])[] = [
  ['Bill', ({ actual }) => amountText(actual.usd, actual.inputTokens)],
  ['Without', (one) => rangeCell(withoutOf(one), one)],
  ['Saved', (one) => rangeCell(one.savedUsd ?? one.savedTokens, one)],
  ['Own list', ({ held }) => (held === undefined ? '?' : tokensText(held))],
  ['Sent last', ({ sent }) => (sent === undefined ? '?' : tokensText(sent))],
  ['Requests', ({ counted, uncounted }) => counted + uncounted],
  ['Condensed', ({ condensations }) => condensations],
  ['Read again', ({ rereads }) => rereads],
  ['Last request', ({ lastAt }) => timeText(lastAt)],
  ['Model', ({ models }) => models.join(', ').slice(0, 40)],
];

function conversationTable(conversations: readonly ConversationReport[], shown: ReadonlySet<ConversationReport>): Html {
  const row = (one: ConversationReport): Html =>
    html`<tr>
      <th scope="row">
        ${shown.has(one) ? html`<a href="#c-${one.conversation}">${one.conversation}</a>` : one.conversation}
      </th>
      ${columns.map(([, cell]) => html`<td>${cell(one)}</td>`)}
    </tr>`;
  return html`<section>
    <h2>Conversations</h2>
    <div class="wide" tabindex="0" role="region" aria-label="Conversations">
      <table>
        <thead>
          <tr>
            <th scope="col">Conversation</th>
            ${columns.map(([head]) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${conversations.map(row)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function conversationSection(one: ConversationReport): Html {
  const { least, most } = withoutOf(one);
  const bill = one.actual.usd ?? one.actual.inputTokens;
  const window = one.window === undefined ? '' : ` of a window of ${tokensText(one.window)}`;
  const list = one.held === undefined ? '' : ` The agent's own list has ${tokensText(one.held)} tokens${window}.`;
  return html`<section id="c-${one.conversation}">
    <h2>${one.conversation}</h2>
    <p class="note">
      ${one.models.join(', ')}, ${timeText(one.firstAt)} to ${timeText(one.lastAt)}.${list} The gateway has
      ${savedText(one)}.
    </p>
    ${warningsOf(one).map((warning) => html`<p class="warning">${warning}</p>`)} ${sizesChart(one)}
    ${one.counted > 0 && billBars({ bill, least, most, text: textOf(one) })}
    ${
      one.made.length > 0 &&
      html`<h3>Condensations</h3>
        <ol>
          ${one.made.map(condensationItem)}
        </ol>`
    }
  </section>`;
}

function condensationItem(one: CondensationReport, index: number, all: readonly CondensationReport[]): Html {
  const { at, request, reason, hidden, savedTokens, rewrittenTokens, cameBack, summary } = one;
  const tools = Object.entries(hidden).map(([tool, results]) => `${results} of ${tool}`);
  const until = index === all.length - 1 ? 'so far' : 'before the next condensation';
  const results = count(cameBack.results, 'result');
  const back =
    cameBack.results === 0
      ? `Nothing came back ${until}.`
      : `${results} brought hidden text back ${until}, with ${tokensText(cameBack.tokens)} tokens.`;
  return html`<li>
    <p><strong>Request ${request + 1}</strong>, ${timeText(at)}, because ${reasonText(reason)}.</p>
    <p>
      ${tokensText(savedTokens)} tokens went${tools.length > 0 && `: results, ${tools.join(', ')}`}.
      ${tokensText(rewrittenTokens)} behind them were written to the cache anew. ${back}
    </p>
    ${
      summary !== undefined &&
      html`<details>
        <summary>What the model reads in their place</summary>
        <pre tabindex="0">${summary}</pre>
      </details>`
    }
  </li>`;
}

function explanation(left: number): Html {
  return html`<section>
    <h2>What the numbers mean</h2>
    ${left > 0 && html`<p class="note">${count(left, 'older conversation')} are in the table and not shown one by one.</p>`}
    <p class="note">
      The bill is what the provider counted, at its prices on that day. <strong>Without</strong> is the bill of the
      agent's own list: it would have read from the cache what its request before held, unless the cache was cold. What
      the agent read again because it was hidden is left out there, with the requests made for nothing else.
    </p>
    <p class="note">
      Agents read again anyway: some ${habit * 100} results of 100 requests. So the saving is a range: all that came
      back counts against the gateway, or only what exceeds that habit.
    </p>
  </section>`;
}

function amountText(usd: number | undefined, tokens: number): string {
  return usd === undefined ? `${tokensText(tokens)} tokens` : usdText(usd);
}

function textOf({ savedUsd }: Pick<ConversationReport, 'savedUsd'>): (value: number) => string {
  return savedUsd === undefined ? (value) => `${tokensText(value)} tokens` : usdText;
}
