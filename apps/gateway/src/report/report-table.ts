import { alignedTable, printableLine, widthOf } from '@palimpsest/terminal';
import type { Colours } from '@palimpsest/terminal';
import { count, heldOutText, savedText, tokensText, usdText } from '../receipts/phrases.js';
import type { ConversationReport } from './conversation-report.js';
import type { Report } from './read-report.js';
import { rangeCell, timeText, warningsOf, withoutOf } from './report-text.js';

/** A column of the table. */
interface Column {
  readonly head: string;
  readonly cell: (conversation: ConversationReport) => string;
  /** Left out where the terminal is too narrow, the last such column first. */
  readonly isOptional?: true;
}

const columns: readonly Column[] = [
  { head: 'conversation', cell: ({ conversation }) => conversation },
  { head: 'last request', cell: ({ lastAt }) => timeText(lastAt), isOptional: true },
  { head: 'requests', cell: ({ counted, uncounted }) => String(counted + uncounted), isOptional: true },
  { head: 'list', cell: ({ held }) => (held === undefined ? '?' : tokensText(held)) },
  { head: 'sent', cell: ({ sent }) => (sent === undefined ? '?' : tokensText(sent)) },
  {
    head: 'bill',
    cell: ({ actual }) => (actual.usd === undefined ? tokensText(actual.inputTokens) : usdText(actual.usd)),
  },
  { head: 'without', cell: (conversation) => rangeCell(withoutOf(conversation), conversation) },
  { head: 'saved', cell: (conversation) => rangeCell(conversation.savedUsd ?? conversation.savedTokens, conversation) },
  { head: 'condensed', cell: ({ condensations }) => String(condensations) },
  { head: 'reread', cell: ({ rereads }) => String(rereads) },
];

/** Returns the report as lines for a terminal: a table, what is to be said of single conversations, and the sum. */
export function reportTable(
  { total, conversations, heldOut, skippedLines }: Report,
  width: number,
  { bold, dim }: Colours,
): string {
  if (conversations.length === 0)
    return 'No receipts are kept here. Start an agent with `palimpsest-gateway run -- claude`.';
  const shown = columnsWithin(conversations, width);
  const cells = [shown.map(({ head }) => head), ...conversations.map((one) => shown.map(({ cell }) => cell(one)))];
  const warnings = conversations.flatMap((one) => warningsOf(one).map((warning) => `${one.conversation}: ${warning}`));
  return [
    alignedTable(cells, bold),
    '',
    `${count(conversations.length, 'conversation')}: the gateway has ${savedText(total)} up to now.`,
    ...(heldOut === undefined ? [] : [heldOutText(heldOut)]),
    ...warnings.map((warning) => printableLine(warning)),
    ...(skippedLines === 0
      ? []
      : [`${count(skippedLines, 'line')} of the receipts could not be read, and stand in no figure.`]),
    dim(
      'list: what the agent holds. sent: its last request. without: the bill without the gateway. Tokens where no price is known.',
    ),
  ].join('\n');
}

function columnsWithin(conversations: readonly ConversationReport[], width: number): readonly Column[] {
  let shown = columns;
  const widthOfTable = (): number =>
    shown.reduce(
      (sum, { head, cell }) => sum + 2 + Math.max(widthOf(head), ...conversations.map((one) => widthOf(cell(one)))),
      -2,
    );
  while (widthOfTable() > width) {
    const last = shown.findLast(({ isOptional }) => isOptional);
    if (last === undefined) break;
    shown = shown.filter((column) => column !== last);
  }
  return shown;
}
