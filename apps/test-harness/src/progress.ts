import ora from 'ora';
import { printableText } from '@palimpsest/terminal';

/** Shows progress on stderr, with nothing in it that a terminal obeys: on a terminal one changing line, otherwise a line now and then. */
export interface Progress {
  update(text: string): void;
  /** Writes a line that stays. */
  line(text: string): void;
  stop(): void;
}

const millisecondsBetweenUpdates = 80;
const millisecondsBetweenLines = 5_000;

/** The progress of one command. */
export function progress(): Progress {
  const isTerminal = process.stderr.isTTY === true;
  // Progress that nobody reads is no reason to stop.
  process.stderr.on('error', () => undefined);
  const spinner = isTerminal ? ora({ stream: process.stderr }).start() : undefined;
  let shownAt = performance.now();
  return {
    update(text) {
      const now = performance.now();
      if (now - shownAt < (isTerminal ? millisecondsBetweenUpdates : millisecondsBetweenLines)) return;
      shownAt = now;
      if (spinner === undefined) process.stderr.write(`${printableText(text)}\n`);
      else {
        spinner.text = printableText(text);
        spinner.render();
      }
    },
    line(text) {
      spinner?.clear();
      process.stderr.write(`${printableText(text)}\n`);
    },
    stop() {
      spinner?.stop();
    },
  };
}
