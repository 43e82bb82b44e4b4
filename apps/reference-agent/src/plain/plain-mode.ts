import { createInterface } from 'node:readline';
import { PalimpsestError } from '@palimpsest/events';
import { printableLine, printableText } from '@palimpsest/terminal';
import type { CommandSurface } from '../commands/command.js';
import { runTypedCommand, typedCommand } from '../commands/index.js';
import type { TypedCommand } from '../commands/index.js';
import { exitStatus } from '../context.js';
import type { Approval, ApprovalAnswer } from '../session/session-events.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import { waitingCallLines } from '../output/call-lines.js';
import { uncoloured } from '../output/lines.js';
import type { Page } from '../output/lines.js';
import { printableAnswer } from '../output/phrases.js';
import { PlainTranscript, PlainWriter } from './plain-transcript.js';

/**
 * Talks with the user line by line: for screen readers, and for terminals that cannot be drawn on. The terminal itself edits the line
 * that is typed; the cursor is never moved, and nothing has a colour. Resolves to the exit status when the session is closed.
 */
export async function openPlainMode(session: InteractiveSession): Promise<number> {
  const { stdin, stdout, interrupts } = session.surroundings;
  const writer = new PlainWriter(stdout);
  const transcript = new PlainTranscript(writer);
  const input = new LineInput(session, writer);
  const close = (): void => void session.close();
  const closed = new Promise<void>((resolve) => {
    session.observe((event) => {
      transcript.follow(event);
      input.promptSoon();
      if (event.type === 'state' && event.state.type === 'closed') resolve();
    });
  });
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on('line', (line) => input.typed(line));
  // Ctrl-D.
  lines.on('close', close);
  interrupts.signal.addEventListener('abort', close, { once: true });
  interrupts.onSigint?.(() => input.interrupted());
  writer.lines('palimpsest: type a message, or /help. Ctrl-C interrupts the agent, and Ctrl-D leaves.');
  await session.start();
  await closed;
  lines.close();
  return interrupts.signal.aborted ? interrupts.exitStatus : exitStatus.done;
}

/** Takes each line that the user types: an answer to a question, to a call that waits, a command, or a message. */
class LineInput {
  readonly #session: InteractiveSession;
  readonly #writer: PlainWriter;
  readonly #screen: CommandSurface;
  /** A command has asked something. */
  #question: ((line: string | undefined) => void) | undefined;
  #asked = '';
  /** A line that ended in a backslash goes on in the next one. */
  #begun: readonly string[] = [];
  #shown: Approval | undefined;
  #isPromptDue = false;
  /** An answer is on its way. */
  #isAnswering = false;
  /** A command is under way: what is typed waits for its question, or for its end. */
  #isBusy = false;
  #typedAhead: readonly string[] = [];
  /** Ctrl-C was pressed where nothing was to be interrupted. */
  #isLeaving = false;

  constructor(session: InteractiveSession, writer: PlainWriter) {
    this.#session = session;
    this.#writer = writer;
    const say = (text: string): void => {
      writer.lines(printableAnswer(text));
      this.promptSoon();
    };
    this.#screen = {
      session,
      say,
      show: async (page) => say(pageText(page)),
      choose: async (title, items) => {
        const rows = items.map(
          ({ label, detail }, index) => `${index + 1}: ${label}${detail === undefined ? '' : ` (${detail})`}`,
        );
        say([title, ...rows].join('\n'));
        const number = Number((await this.#ask('A number, or nothing to give up')) ?? '');
        return items[number - 1]?.value;
      },
      ask: async (question) => this.#ask(question),
      edit: (text) => say(`To be typed anew, as it is or changed:\n${text}`),
    };
  }

  typed(line: string): void {
    this.#writer.typed();
    this.#isLeaving = false;
    const question = this.#question;
    if (question !== undefined) {
      this.#question = undefined;
      return question(line.trim() === '' ? undefined : line);
    }
    if (this.#isBusy) {
      this.#typedAhead = [...this.#typedAhead, line];
      return;
    }
    if (line.endsWith('\\')) {
      this.#begun = [...this.#begun, line.slice(0, -1)];
      return this.promptSoon();
    }
    const text = [...this.#begun, line].join('\n');
    this.#begun = [];
    const command = typedCommand(text);
    if (command !== undefined) return void this.#run(command);
    if (this.#session.state.type === 'waiting') return void this.#answer(text);
    const { type } = this.#session.state;
    this.#session.send(text);
    if (type === 'working' && text.trim() !== '') {
      this.#writer.lines('Queued: it is sent at the next step. /withdraw takes it back.');
    }
    this.promptSoon();
  }

  async #run(command: TypedCommand): Promise<void> {
    this.#isBusy = true;
    await runTypedCommand(command, this.#screen);
    this.#isBusy = false;
    this.promptSoon();
    for (let next = this.#nextTyped(); next !== undefined; next = this.#nextTyped()) this.typed(next);
  }

  #nextTyped(): string | undefined {
    if (this.#isBusy) return undefined;
    const [next, ...rest] = this.#typedAhead;
    this.#typedAhead = rest;
    return next;
  }

  /** Ctrl-C: interrupts the agent, gives up a question, and leaves if it is pressed twice with nothing to interrupt. */
  interrupted(): void {
    this.#begun = [];
    this.#typedAhead = [];
    const question = this.#question;
    this.#question = undefined;
    if (question !== undefined) return question(undefined);
    const { type } = this.#session.state;
    if (type === 'working' || type === 'waiting') {
      this.#writer.lines('Interrupted.');
      return this.#session.interrupt();
    }
    if (this.#isLeaving) return void this.#session.close();
    this.#isLeaving = true;
    this.#writer.lines('Ctrl-C again leaves.');
    this.promptSoon();
  }

  /** Writes the prompt, or the call that waits, when all that happens now is told, and if it is the user's turn then. */
  promptSoon(): void {
    if (this.#isPromptDue) return;
    this.#isPromptDue = true;
    setImmediate(() => {
      this.#isPromptDue = false;
      this.#prompt();
    });
  }

  #prompt(): void {
    const { state } = this.#session;
    if (state.type !== 'waiting') this.#shown = undefined;
    if (this.#question !== undefined) return this.#writer.prompt(this.#asked);
    if (this.#isBusy) return;
    if (this.#begun.length > 0) return this.#writer.prompt('… ');
    if (state.type === 'idle' || state.type === 'unusable') this.#writer.prompt('> ');
    if (state.type !== 'waiting' || this.#isAnswering) return;
    const [first] = state.approvals;
    if (first !== undefined && first.id !== this.#shown?.id) {
      this.#shown = first;
      this.#writer.lines(approvalText(first, 1, state.approvals.length));
    }
    this.#writer.prompt('Answer: ');
  }

  async #answer(line: string): Promise<void> {
    const { state } = this.#session;
    const shown = this.#shown;
    if (state.type !== 'waiting' || shown === undefined) return;
    const typed = typedAnswer(line, shown);
    if (typed === undefined) {
      this.#writer.lines(
        `'${printableLine(line)}' is no answer: y, n, n REASON, a${shown.proposedRule === undefined ? '' : ', s or r'}.`,
      );
      return this.promptSoon();
    }
    const ids = typed.toAll ? state.approvals.map(({ id }) => id) : [shown.id];
    this.#isAnswering = true;
    try {
      await this.#session.answer(ids, typed.answer);
    } catch (error) {
      if (!PalimpsestError.isInstance(error)) throw error;
      this.#writer.lines(printableText(`! ${error.message}`));
    } finally {
      this.#isAnswering = false;
    }
    this.promptSoon();
  }

  #ask(question: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#question = (line) => {
        resolve(line);
        this.promptSoon();
      };
      this.#asked = `${printableLine(question)}: `;
      this.promptSoon();
      const [typed, ...rest] = this.#typedAhead;
      if (typed === undefined) return;
      this.#typedAhead = rest;
      this.typed(typed);
    });
  }
}

/** A page as lines. */
function pageText({ title, lines }: Page): string {
  return [title, ...lines.map(uncoloured)].join('\n');
}

/** A call that waits: whole, because it is what runs. */
function approvalText(approval: Approval, number: number, count: number): string {
  const { reason, proposedRule } = approval;
  const [name, ...call] = waitingCallLines(approval).map(uncoloured);
  return [
    `Call ${number} of ${count} needs your yes: ${name}`,
    ...call,
    `  asked because: ${printableText(reason)}`,
    '  y: yes, once. n, or n and a reason: no. a: yes to all of them.',
    ...(proposedRule === undefined
      ? []
      : [
          `  s: yes, and for this session to calls by the rule ${printableText(proposedRule)}`,
          '  r: the same, in this folder for good. s or r with another rule behind it: that rule.',
        ]),
  ].join('\n');
}

/** Reads a typed line as an answer to a call or to all of them; undefined if it is none. */
function typedAnswer(
  line: string,
  { proposedRule }: Pick<Approval, 'proposedRule'>,
): { readonly answer: ApprovalAnswer; readonly toAll: boolean } | undefined {
  const [, word = '', rest = ''] = /^\s*(\S+)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  const rule = rest === '' ? proposedRule : rest;
  switch (word.toLowerCase()) {
    case 'y':
    case 'yes':
      return rest === '' ? { answer: { type: 'once' }, toAll: false } : undefined;
    case 'a':
    case 'all':
      return rest === '' ? { answer: { type: 'once' }, toAll: true } : undefined;
    case 's':
      return rule === undefined ? undefined : { answer: { type: 'session', rule }, toAll: false };
    case 'r':
      return rule === undefined ? undefined : { answer: { type: 'rule', rule }, toAll: false };
    case 'n':
    case 'no':
      return { answer: { type: 'no', reason: rest === '' ? undefined : rest }, toAll: false };
    default:
      return undefined;
  }
}
