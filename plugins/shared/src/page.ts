import type { ActionEvent, Event } from '@palimpsest/events';
import { reasonText } from '@palimpsest/view/inspect';
import type { Account, CondensationAccount } from './account.js';

/** The largest texts that went are named, so many of each condensation. */
const mostNamed = 5;
const longestTitle = 70;

/** The sizes of a session, and the sentences about it. Unit of the sizes: estimated tokens. They are shown as the provider counts. */
export interface Shown {
  readonly account: Account;
  readonly log: readonly Event[];
  readonly held: number;
  readonly sent: number;
  /** The price of an input token. Unit: USD. @defaultValue unknown: amounts are said in input tokens */
  readonly usdPerToken?: number | undefined;
  /** Sentences that stand below: a problem, a version that was not tested. */
  readonly notes: readonly string[];
}

/** Returns the line of a status bar: `182k held · 31k sent · 62 % saved`. */
export function statusLine({ account, held, sent }: Omit<Shown, 'log' | 'notes'>): string {
  const counted = countedBy(account.countedPerEstimated);
  const parts = [`${counted(held)} held`, `${counted(sent)} sent`];
  if (account.condensations.length > 0) parts.push(`${shareSaved(account)} saved`);
  return parts.join(' · ');
}

/** Returns the page of `/condensed`: what went, why, what it saved, what came back. */
export function condensedPage(shown: Shown): string {
  const { account, notes } = shown;
  const { condensations } = account;
  const count = condensations.length;
  const [held, sent] = [shown.held, shown.sent].map(countedBy(account.countedPerEstimated));
  const head =
    count === 0
      ? `Nothing was condensed in this session: ${held} tokens are held, and sent.`
      : `${count} condensation${count === 1 ? '' : 's'} in this session. ${held} tokens are held, ${sent} are sent. ${amount(account.saved, shown)} saved (${shareSaved(account)}).`;
  const parts = condensations.map((one, index) => condensationText(one, index + 1, shown)).reverse();
  const kept = count === 0 ? [] : ['Nothing is lost: the model gets a hidden text back by its address, with recall.'];
  return [head, ...parts, ...kept, ...notes].map(printable).join('\n\n');
}

function condensationText(one: CondensationAccount, number: number, { log, usdPerToken, account }: Shown): string {
  const counted = countedBy(account.countedPerLogged);
  const { details, requests, cameBack, saved } = one;
  const { condensation, forgotten, masked, tokensBefore, tokensAfter, rewrittenTokens, revert, request } = details;
  const { reason } = condensation.metadata ?? {};
  const why = typeof reason === 'string' && reason !== '' ? ` because ${reasonText(reason)}` : '';
  const about = request?.focus === undefined ? '' : `, with the focus “${cut(request.focus)}”`;
  const what = [
    forgotten.length === 0
      ? []
      : [`${forgotten.length} events ${condensation.summary === undefined ? 'left out' : 'in a digest'}`],
    masked.length === 0 ? [] : [`${masked.length} masked`],
  ].flat();
  const largest = [...forgotten, ...masked].sort((a, b) => b.tokens - a.tokens).slice(0, mostNamed);
  const back =
    cameBack.results === 0
      ? 'came back: nothing'
      : `came back: ${cameBack.results} result${cameBack.results === 1 ? '' : 's'}, ${short(cameBack.tokens)} tokens (${cameBack.recalled} by recall)`;
  return [
    `${number}. ${condensation.timestamp.slice(11, 16)} UTC: ${counted(tokensBefore)} → ${counted(tokensAfter)} tokens a request,${why}${about}${revert === undefined ? '' : ' (taken back)'}`,
    `   went: ${what.join(', ')}`,
    ...largest.map(
      ({ event, address, tokens }) => `     ${counted(tokens).padStart(6)}  ${titleOf(event, log)}  [${address}]`,
    ),
    `   since then: ${requests} request${requests === 1 ? '' : 's'}; ${counted(rewrittenTokens)} tokens written again; ${back}`,
    `   worth: ${amount(saved, { usdPerToken })}`,
  ].join('\n');
}

/** Returns a text in one line: what called it, or how it begins. */
function titleOf(event: Event, log: readonly Event[]): string {
  if (event.type === 'observation' || event.type === 'action') {
    const call = event.type === 'action' ? event : callOf(event, log);
    return cut(call === undefined ? 'a result' : `${call.toolCall.name} ${argumentsOf(call)}`);
  }
  if (event.type === 'message') return cut(`${event.role}: ${wordsOf(event)}`);
  return event.type === 'condensation-summary' ? 'an earlier digest' : event.type;
}

function callOf(event: Extract<Event, { type: 'observation' }>, log: readonly Event[]): ActionEvent | undefined {
  return log.find((one): one is ActionEvent => one.type === 'action' && one.toolCall.id === event.toolCallId);
}

/** The values of the arguments, without their names. */
function argumentsOf({ toolCall }: ActionEvent): string {
  try {
    const values: readonly unknown[] = Object.values(JSON.parse(toolCall.arguments) as object);
    return values.filter((value) => typeof value === 'string' || typeof value === 'number').join(' ');
  } catch {
    return toolCall.arguments;
  }
}

function wordsOf({ content }: Extract<Event, { type: 'message' }>): string {
  return content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [`[${part.type}]`])).join(' ');
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle)}…` : line;
}

function shareSaved({ saved, paid }: Account): string {
  const whole = saved + paid;
  return `${whole <= 0 ? 0 : Math.round((100 * saved) / whole)} %`;
}

/** Returns an amount of money, or of input tokens where no price is known. */
export function amount(tokens: number, { usdPerToken }: Pick<Shown, 'usdPerToken'>): string {
  const sign = tokens < 0 ? '−' : '';
  if (usdPerToken === undefined || usdPerToken <= 0) return `${sign}${short(Math.abs(tokens))} input tokens`;
  return `${sign}$${(Math.abs(tokens) * usdPerToken).toFixed(2)}`;
}

/** Returns estimated sizes in words, as the provider counts: hosts show its counts beside them. */
export function countedBy(countedPerToken: number): (tokens: number) => string {
  return (tokens) => short(tokens * countedPerToken);
}

/** Returns a number of tokens: 940, 9.4k, 182k, 1.3M. */
function short(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 9_950) return `${(tokens / 1_000).toFixed(1)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Output of tools is text of others: a terminal obeys no escape in it. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character === '\n' || character === '\u200d' ? character : '·',
  );
}
