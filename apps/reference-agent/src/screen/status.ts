import type { SessionState, WorkPhase, QueuedMessage } from '../session/session-events.js';
import { formatDollars, formatShare, formatThousands } from '../output/lines.js';
import { columnsOf, cutLine, printableLine } from './layout.js';
import type { Styles } from './layout.js';

/** The figures of the status line. What is undefined is not known, and is left out. */
export interface Status {
  /** The state of the session, in a word or two. */
  readonly state: string;
  /** True: it works, and a spinner turns. */
  readonly isBusy: boolean;
  /** The time in this state. Unit: milliseconds. */
  readonly elapsedMs?: number | undefined;
  readonly isCondensingBehind?: boolean | undefined;
  readonly model?: string | undefined;
  /** The size of the next request. Unit: tokens. */
  readonly tokens?: number | undefined;
  /** Of the model. Unit: tokens. */
  readonly window?: number | undefined;
  readonly costUsd?: number | undefined;
  /** Of what was sent, what the provider had in its cache. From 0 to 1. */
  readonly cachedShare?: number | undefined;
  /** The part that condensation saved. From 0 to 1; negative if it cost more. */
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

/** Returns one line, no wider than asked: where all does not fit, the least important is left out. Unit of `width`: columns. */
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
    model === undefined ? [] : { text: cutLine(printableLine(model), 32), rank: 6 },
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

/** Returns a time in seconds, or minutes and seconds, or hours and minutes. */
export function shownTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

const phases: Readonly<Record<WorkPhase, string>> = {
  asking: 'thinking',
  answering: 'answering',
  tools: 'running tools',
  retrying: 'trying again',
  condensing: 'condensing',
};

/** Returns the present work of a session, in a word or two. */
export function statePhrase(state: SessionState): string {
  switch (state.type) {
    case 'opening':
      return `opening${waitPhrase(state.waitsFor ?? [])}`;
    case 'unusable':
      return 'not usable';
    case 'idle':
      return 'ready';
    case 'working':
      return state.isInterrupted ? 'interrupting' : phases[state.phase];
    case 'waiting':
      return 'waits for your yes';
    case 'closed':
      return 'closed';
  }
}

/** The first names, so that the line has room for them. */
function waitPhrase(servers: readonly string[]): string {
  const [first] = servers;
  if (first === undefined) return '';
  return `: waits for MCP ${first}${servers.length === 1 ? '' : ` and ${servers.length - 1} more`}`;
}

/** The facts that decide which keys are useful. */
export interface Situation {
  /** Ctrl-C was pressed, and the next one leaves. */
  readonly isLeaving: boolean;
  /** An item of the transcript is in focus. */
  readonly isFocused: boolean;
  readonly isAtEnd: boolean;
  readonly isWorking: boolean;
  /** A call waits, and what is typed is not taken for an answer. */
  readonly isTyping: boolean;
  readonly hasQueue: boolean;
}

/** Returns the keys that are useful now, in one line: as many as fit, the most useful first. Unit of `width`: columns. */
export function footer(situation: Situation, width: number, { colours }: Styles): string {
  const { dim, bold, yellow } = colours;
  if (situation.isLeaving) return yellow(cutLine(' Ctrl-C again leaves; any other key stays', width));
  if (situation.isTyping)
    return bold(cutLine(' a call waits for your yes: stop typing for a second to answer it', width));
  let line = '';
  for (const hint of hintsOf(situation)) {
    const longer = line === '' ? ` ${hint}` : `${line} · ${hint}`;
    if (columnsOf(longer) > width) break;
    line = longer;
  }
  return dim(line);
}

function hintsOf({ isFocused, isAtEnd, isWorking, hasQueue }: Situation): readonly string[] {
  if (isFocused) return ['Ctrl-O opens or closes', 'Alt-↑↓ next item', 'Alt-O all', 'Esc back to the input'];
  return [
    ...(isAtEnd ? [] : ['▼ more below: End or Esc']),
    ...(isWorking ? ['Esc interrupts', 'Enter queues a message'] : ['/ commands', '@ files']),
    ...(hasQueue ? ['↑ takes the queue back'] : []),
    'Ctrl-O opens the last item',
    'Alt-↑↓ picks one',
    'PgUp scrolls',
    'Shift-Enter new line',
    ...(isWorking ? [] : ['Ctrl-D leaves']),
  ];
}

/** More messages are counted. */
const maxShown = 3;

/** Returns the messages that were not sent yet, one in a line. Unit of `width`: columns. */
export function queueLines(queue: readonly QueuedMessage[], width: number, { colours }: Styles): readonly string[] {
  const { dim } = colours;
  const shown = queue
    .slice(0, maxShown)
    .map(({ text }) => dim(cutLine(` » queued: ${printableLine(text.slice(0, 500))}`, width)));
  const more = queue.length - shown.length;
  return more > 0 ? [...shown, dim(cutLine(` » and ${more} more`, width))] : shown;
}
