import type { Approval, ApprovalAnswer } from '../session/session-events.js';
import { callLines, claimLines } from '../output/call-lines.js';
import { Question } from './dialogs.js';
import { cutLine, printableText, printableLine, wrapIndented, drawLines, isKey, pasteStart } from './layout.js';
import type { Styles, FrontPart } from './layout.js';

/** Options of {@link ApprovalDialog}. */
export interface ApprovalDialogOptions {
  readonly styles: Styles;
  /** Returns the number of lines that it may have. */
  readonly maxHeight: () => number;
  /** Rejects with a message for the user where a rule cannot be read. */
  readonly answer: (ids: readonly string[], answer: ApprovalAnswer) => Promise<void>;
  /** Something changed that no key has changed. */
  readonly changed: () => void;
  /** The time, in milliseconds. */
  readonly now: () => number;
}

/** A call must have been seen so long before a key answers it: what was pressed before was meant for something else. Unit: milliseconds. */
const unseenMs = 300;

type Kind = ApprovalAnswer['type'];
const kinds: readonly Kind[] = ['once', 'session', 'rule', 'no'];

/** Calls that wait for a yes, one after the other, each with its whole input. */
export class ApprovalDialog implements FrontPart {
  readonly #options: ApprovalDialogOptions;
  #approvals: readonly Approval[];
  #at = 0;
  #selected: Kind = 'once';
  /** The first line of the input that is seen. */
  #top = 0;
  #hidden = 0;
  #problem: string | undefined;
  #question: Question | undefined;
  #isAnswering = false;
  /** Since when the call that is shown has been seen. */
  #seenAt: number | undefined;

  constructor(approvals: readonly Approval[], options: ApprovalDialogOptions) {
    this.#approvals = approvals;
    this.#options = options;
  }

  /** Others wait now. The call that is shown stays, if it still waits. */
  update(approvals: readonly Approval[]): void {
    const { id } = this.#current();
    this.#approvals = approvals;
    const at = approvals.findIndex((each) => each.id === id);
    if (at === -1) {
      this.#show(Math.min(this.#at, approvals.length - 1));
      this.#seenAt = undefined;
    } else this.#at = at;
  }

  /** Something else stands in its place. */
  hide(): void {
    this.#seenAt = undefined;
  }

  render(width: number): readonly string[] {
    this.#seenAt ??= this.#options.now();
    if (this.#question !== undefined) return this.#question.render(width);
    const { styles, maxHeight } = this.#options;
    const { bold, dim, yellow, red } = styles.colours;
    const approval = this.#current();
    const count = this.#approvals.length > 1 ? ` (${this.#at + 1} of ${this.#approvals.length})` : '';
    const head = [
      yellow('─'.repeat(width)),
      ...wrapIndented(1, `? ${printableLine(approval.name)} waits for your yes${count}`, width).map((line) =>
        bold(yellow(line)),
      ),
      ...wrapIndented(3, printableText(approval.reason), width).map((line) => dim(line)),
      ...claimLines(approval).map(({ text }) => dim(cutLine(`   ${text}`, width))),
    ];
    const tail = [
      ...this.#answers(width),
      ...(this.#problem === undefined
        ? []
        : wrapIndented(1, printableText(this.#problem), width).map((line) => red(line))),
      dim(cutLine(` ${this.#keys()}`, width)),
    ];
    const input = drawLines(callLines(approval, approval.diff), width - 4, styles).map((line) => `   ${line}`);
    // Two lines say how much is hidden above and below.
    const room = Math.max(1, maxHeight() - head.length - tail.length);
    if (input.length <= room) {
      this.#top = this.#hidden = 0;
      return [...head, ...input, ...tail];
    }
    const seen = Math.max(1, room - 1);
    this.#hidden = input.length - seen;
    this.#top = Math.max(0, Math.min(this.#top, this.#hidden));
    const below = this.#hidden - this.#top;
    const note = ` ${this.#top > 0 ? `▲ ${this.#top} lines above` : ''}${this.#top > 0 && below > 0 ? ', ' : ''}${below > 0 ? `▼ ${below} more lines` : ''} · PgUp PgDn`;
    return [...head, ...input.slice(this.#top, this.#top + seen), bold(cutLine(note, width)), ...tail];
  }

  handleInput(data: string): void {
    if (this.#question !== undefined) return this.#question.handleInput(data);
    // What is pasted answers nothing.
    if (this.#isAnswering || data.startsWith(pasteStart)) return;
    const kind = kinds[['1', '2', '3', '4'].indexOf(data)];
    if ((kind !== undefined || isKey(data, 'enter') || data === 'a') && this.#isUnseen()) return;
    if (kind !== undefined) this.#choose(kind);
    else if (isKey(data, 'up')) this.#move(-1);
    else if (isKey(data, 'down')) this.#move(1);
    else if (isKey(data, 'enter')) this.#choose(this.#selected);
    else if (isKey(data, 'pageUp')) this.scroll(-5);
    else if (isKey(data, 'pageDown')) this.scroll(5);
    else if (isKey(data, 'tab', 'right')) this.#show((this.#at + 1) % this.#approvals.length);
    else if (isKey(data, 'shift+tab', 'left'))
      this.#show((this.#at + this.#approvals.length - 1) % this.#approvals.length);
    else if (data === 'a' && this.#approvals.length > 1) {
      void this.#answer(
        this.#approvals.map(({ id }) => id),
        { type: 'once' },
      );
    }
  }

  scroll(lines: number): void {
    this.#top = Math.max(0, Math.min(this.#hidden, this.#top + lines));
  }

  /** True while text is typed, so that no key is a shortcut. */
  get isTyping(): boolean {
    return this.#question !== undefined;
  }

  #isUnseen(): boolean {
    return this.#seenAt === undefined || this.#options.now() - this.#seenAt < unseenMs;
  }

  #current(): Approval {
    const approval = this.#approvals[this.#at];
    if (approval === undefined) throw new RangeError('No call waits.');
    return approval;
  }

  #show(at: number): void {
    this.#at = at;
    this.#top = 0;
    this.#selected = 'once';
    this.#problem = undefined;
  }

  #move(by: 1 | -1): void {
    const offered = kinds.filter((kind) => this.#isOffered(kind));
    const at = (offered.indexOf(this.#selected) + by + offered.length) % offered.length;
    this.#selected = offered[at] ?? 'once';
  }

  #isOffered(kind: Kind): boolean {
    return kind === 'once' || kind === 'no' || this.#current().proposedRule !== undefined;
  }

  #answers(width: number): readonly string[] {
    const { bold, dim } = this.#options.styles.colours;
    const rule = this.#current().proposedRule;
    const words: Readonly<Record<Kind, string>> = {
      once: 'yes, once',
      session:
        rule === undefined ? 'for this session: no rule can allow it' : `yes, for this session: ${shownRule(rule)}`,
      rule:
        rule === undefined
          ? 'by a rule: no rule can allow it'
          : 'yes, always in this folder, by a rule that you may edit …',
      no: 'no, and why …',
    };
    return kinds.map((kind, index) => {
      const line = cutLine(`${kind === this.#selected ? ' ›' : '  '} ${index + 1} ${words[kind]}`, width);
      return kind === this.#selected ? bold(line) : this.#isOffered(kind) ? line : dim(line);
    });
  }

  #keys(): string {
    if (this.#isUnseen()) return 'keys answer in a moment …';
    const several = this.#approvals.length > 1 ? ' · Tab next call · a yes to all' : '';
    return `1–4, or ↑↓ and Enter${several} · Esc denies and stops`;
  }

  #choose(kind: Kind): void {
    if (!this.#isOffered(kind)) return;
    const { id, proposedRule = '' } = this.#current();
    this.#selected = kind;
    if (kind === 'once') void this.#answer([id], { type: 'once' });
    else if (kind === 'session') void this.#answer([id], { type: 'session', rule: proposedRule });
    else if (kind === 'rule') {
      const shown = shownRule(proposedRule);
      this.#ask('The rule that allows this call and calls like it, in this folder:', shown, (text) => {
        // As it was proposed it is taken as it was proposed: a line of text cannot show all that is in it.
        if (text !== '') void this.#answer([id], { type: 'rule', rule: text === shown ? proposedRule : text });
      });
    } else {
      this.#ask('Why not? The model reads it. It may be empty.', undefined, (reason) => {
        void this.#answer([id], reason === '' ? { type: 'no' } : { type: 'no', reason });
      });
    }
  }

  #ask(question: string, initial: string | undefined, answered: (text: string) => void): void {
    const { styles } = this.#options;
    this.#question = new Question({
      question,
      initial,
      styles,
      answered: (text) => {
        this.#question = undefined;
        if (text !== undefined) answered(text.trim());
      },
    });
  }

  async #answer(ids: readonly string[], answer: ApprovalAnswer): Promise<void> {
    this.#isAnswering = true;
    this.#problem = undefined;
    try {
      await this.#options.answer(ids, answer);
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.#isAnswering = false;
      this.#options.changed();
    }
  }
}

/** A rule on one line: the ends of its lines are seen. */
function shownRule(rule: string): string {
  return printableText(rule).replaceAll('\n', '↵').trim();
}
