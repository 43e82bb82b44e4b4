import type { Terminal } from '@mariozechner/pi-tui';
import { coloursFor } from '@palimpsest/terminal';
import { StreamTranslation } from '../apps/reference-agent/src/headless/stream-translation.js';
import { InteractiveSession } from '../apps/reference-agent/src/interactive/interactive-session.js';
import type { LoggedEvent, SessionListener } from '../apps/reference-agent/src/interactive/session-event.js';
import { Screen } from '../apps/reference-agent/src/screen/screen.js';
import { stylesOf } from '../apps/reference-agent/src/screen/styles.js';
import { cpuClock, median } from './measure.js';
import { measuredLogs } from './sessions.js';

const lengths = [100, 1_000, 10_000];
const frames = 300;
const pageUp = '\u001b[5~';
const end = '\u001b[F';

/** Takes what is drawn, and tells when a frame is complete. */
class SinkTerminal implements Terminal {
  columns = 120;
  readonly rows = 40;
  readonly kittyProtocolActive = false;
  onFrame: () => void = () => undefined;
  press: (data: string) => void = () => undefined;
  onResize: () => void = () => undefined;
  start(onInput: (data: string) => void, onResize: () => void): void {
    [this.press, this.onResize] = [onInput, onResize];
  }
  write(text: string): void {
    if (text.includes('\u001b[?2026l')) this.onFrame();
  }
  async drainInput(): Promise<void> {}
  stop(): void {}
  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  setTitle(): void {}
  setProgress(): void {}
}

/** CPU of a frame of the screen for a session of 10,000 events, to that of one of 100: a key, a piece of an answer, a page, a new width. */
export async function screenBench(): Promise<void> {
  const logOf = await measuredLogs();
  const floors = new Map<string, number>();
  for (const length of lengths) {
    const { origin, events } = logOf(length);
    const translation = new StreamTranslation([]);
    const history = events.map((event): LoggedEvent => ({ event, told: translation.follow(event) }));
    console.log(
      `\nCPU of a frame with ${length} events, ${origin}: median and 99th percentile, and the median to that at ${lengths[0]}`,
    );
    for (const [name, { median: middle, p99 }] of Object.entries(await framesOf(history))) {
      const floor = floors.get(name) ?? middle;
      floors.set(name, floor);
      console.log(
        `  ${(middle / floor).toFixed(2).padStart(6)}×  ${middle.toFixed(2).padStart(7)} ms  ${p99.toFixed(2).padStart(7)} ms  ${name}`,
      );
    }
  }
}

async function framesOf(
  history: readonly LoggedEvent[],
): Promise<Readonly<Record<string, { median: number; p99: number }>>> {
  const terminal = new SinkTerminal();
  const listeners: SessionListener[] = [];
  const session = new InteractiveSession({
    flags: { outputFormat: 'text' },
    surroundings: { env: {}, cwd: '/' } as never,
  });
  session.observe = (listener) => (listeners.push(listener), () => undefined);
  const styles = stylesOf(coloursFor({ isTTY: true }, { FORCE_COLOR: '1' }));
  const screen = new Screen({
    terminal,
    styles,
    session,
    figures: () => ({ model: 'm', tokens: 9_000, window: 200_000 }),
    submitted: () => undefined,
  });
  const tell: SessionListener = (event) => listeners.forEach((listener) => listener(event));
  screen.open();
  const framed = async (act: () => void): Promise<number> => {
    const start = cpuClock();
    const end = new Promise<number>((resolve) => (terminal.onFrame = () => resolve(cpuClock())));
    act();
    return (await end) - start;
  };
  const init = {
    type: 'init',
    version: 1,
    session: 's',
    isResumed: true,
    workspace: '/w',
    model: 'm',
    log: '/l',
    tools: [],
    notes: [],
    cutOff: [],
  } as const;
  const opened = await framed(() => tell({ type: 'opened', init, history }));
  const many = async (act: (at: number) => void): Promise<{ median: number; p99: number }> => {
    const times: number[] = [];
    for (let at = 0; at < frames; at++) times.push(await framed(() => act(at)));
    const sorted = times.toSorted((a, b) => a - b);
    return { median: median(times), p99: sorted[Math.floor(frames * 0.99)] ?? NaN };
  };
  const keys = await many(() => terminal.press('a'));
  screen.editor.setText('');
  const deltas = await many((at) =>
    tell({
      type: 'delta',
      delta: { type: 'text', text: `piece **${at}** of an answer,${at % 20 === 19 ? '\n\n' : ' '}` },
    }),
  );
  const pages = await many((at) => terminal.press(at % 4 === 3 ? end : pageUp));
  const widths = await many((at) => {
    terminal.columns = 60 + (at % 2) * 60;
    terminal.onResize();
  });
  await screen.close();
  return {
    'the session opens': { median: opened, p99: opened },
    'a key': keys,
    'a piece of an answer': deltas,
    'a page up': pages,
    'a new width': widths,
  };
}
