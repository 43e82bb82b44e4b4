import { formatDollars, formatShare, formatThousands } from '../output/lines.js';
import { columnsOf, cutLine, harmlessLine } from './shown-width.js';
import type { Styles } from './styles.js';

/** What the status line shows. What is undefined is not known, and is left out. */
export interface Status {
  /** What the session does, in a word or two. */
  readonly state: string;
  /** True: it works, and a spinner turns. */
  readonly isBusy: boolean;
  /** How long it has been doing that. Unit: milliseconds. */
  readonly elapsedMs?: number | undefined;
  readonly isCondensingBehind?: boolean | undefined;
  readonly model?: string | undefined;
  /** What the next request holds. Unit: tokens. */
  readonly tokens?: number | undefined;
  /** Of the model. Unit: tokens. */
  readonly window?: number | undefined;
  readonly costUsd?: number | undefined;
  /** Of what was sent, what the provider had in its cache. From 0 to 1. */
  readonly cachedShare?: number | undefined;
  /** What condensation saved. Shares from 0 to 1; negative if it cost more. */
  readonly savedTokens?: number | undefined;
  readonly savedUsd?: number | undefined;
}

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** A turn of the spinner. Unit: milliseconds. */
export const spinnerMs = 100;
const barCells = 10;

interface Part {
  readonly text: string;
  /** The greatest goes first where there is no room. */
  readonly rank: number;
}

/** One line, no wider than asked: where all does not fit, the least important is left out. Unit of `width`: columns. */
export function statusLine(status: Status, width: number, { colours }: Styles): string {
  const { dim } = colours;
  const separator = dim(' · ');
  const separatorColumns = 3;
  let parts = partsOf(status, colours);
  const columns = (): number =>
    parts.reduce((sum, { text }) => sum + columnsOf(text), 0) + separatorColumns * (parts.length - 1) + 2;
  while (parts.length > 1 && columns() > width) {
    const last = Math.max(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank !== last);
  }
  return cutLine(` ${parts.map(({ text }) => text).join(separator)}`, width);
}

function partsOf(status: Status, colours: Styles['colours']): readonly Part[] {
  const { bold, dim, cyan, magenta, green } = colours;
  const { state, isBusy, elapsedMs, model, costUsd, cachedShare } = status;
  const turn = spinner[Math.floor((elapsedMs ?? 0) / spinnerMs) % spinner.length] ?? '';
  const time = elapsedMs === undefined ? '' : ` ${shownTime(elapsedMs)}`;
  return [
    { text: isBusy ? `${cyan(turn)} ${bold(state)}${dim(time)}` : bold(state), rank: 0 },
    status.isCondensingBehind === true ? { text: magenta('◆ condensing behind'), rank: 3 } : [],
    model === undefined ? [] : { text: cutLine(harmlessLine(model), 32), rank: 6 },
    contextPart(status, colours),
    costUsd === undefined ? [] : { text: formatDollars(costUsd), rank: 2 },
    cachedShare === undefined ? [] : { text: `${formatShare(cachedShare)} cached`, rank: 7 },
    savedPart(status, green),
  ].flat();
}

function contextPart({ tokens, window }: Status, { green, yellow, red, dim }: Styles['colours']): readonly Part[] {
  if (tokens === undefined) return [];
  if (window === undefined) return [{ text: `${formatThousands(tokens)} tokens`, rank: 1 }];
  const share = Math.min(1, tokens / window);
  const filled = Math.min(barCells, Math.ceil(share * barCells));
  const colour = share < 0.6 ? green : share < 0.85 ? yellow : red;
  const bar = `${colour('▰'.repeat(filled))}${dim('▱'.repeat(barCells - filled))}`;
  const words = `${formatThousands(tokens)}/${formatThousands(window)} (${formatShare(share)})`;
  // The bar goes before the figures do.
  return [
    { text: bar, rank: 8 },
    { text: words, rank: 1 },
  ];
}

function savedPart({ savedTokens, savedUsd, costUsd }: Status, green: (text: string) => string): readonly Part[] {
  if (savedTokens === undefined || (savedTokens === 0 && (savedUsd ?? 0) === 0)) return [];
  // At an address whose prices are not known nobody knows what was saved.
  const isPriced = costUsd !== undefined;
  const money = !isPriced || savedUsd === undefined || Math.abs(savedUsd) < 0.005 ? '' : `, ${formatDollars(savedUsd)}`;
  return [{ text: green(`saved ${formatShare(savedTokens)}${money}`), rank: 5 }];
}

/** A time, in seconds, or minutes and seconds, or hours and minutes. */
export function shownTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}
