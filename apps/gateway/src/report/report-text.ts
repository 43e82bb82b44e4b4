import type { Figures, Range } from '../receipts/account.js';
import { count, gapsIn, rangeText, tokensText, usdText, wayOutText } from '../receipts/phrases.js';

/** Returns what is to be said of a conversation, in whole sentences. */
export function warningsOf(conversation: Figures): readonly string[] {
  const { isHeldBack, problems } = conversation;
  return [
    ...(isHeldBack ? ['Condensation is held back: what came back has cost more than it may.'] : []),
    ...gapsIn(conversation),
    ...(conversation.isBeyondWindow ? [wayOutText()] : []),
    ...(problems.length === 0
      ? []
      : [`${count(problems.length, 'request')} went on in spite of a problem: ${problems.at(-1)}`]),
  ];
}

/** Returns the bill as it would have been without the gateway. Unit: USD, or input tokens where there is no money. */
export function withoutOf({ control }: Pick<Figures, 'control'>): Range {
  const { least, most } = control;
  return { least: least.usd ?? least.inputTokens, most: most.usd ?? most.inputTokens };
}

/** Returns the day and the minute in the time of this machine: `2026-11-27 10:12`. */
export function timeText(at: string): string {
  const date = new Date(at);
  const [month, day, hour, minute] = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()].map(
    (part) => String(part).padStart(2, '0'),
  );
  return `${date.getFullYear()}-${month}-${day} ${hour}:${minute}`;
}

/** Returns a range for a cell of a table: `$0.57…$0.72`, `-3k`. */
export function rangeCell({ least, most }: Range, { savedUsd }: Figures): string {
  const text = (value: number): string => {
    const size = savedUsd === undefined ? tokensText(Math.abs(value)) : usdText(Math.abs(value));
    return value < 0 ? `-${size}` : size;
  };
  return rangeText({ least, most }, text).replace(' to ', '…');
}
