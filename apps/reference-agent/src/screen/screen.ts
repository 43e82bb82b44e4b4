import { isKeyRelease, TUI } from '@mariozechner/pi-tui';
import type { Component, Terminal } from '@mariozechner/pi-tui';
import type { Choice, Line, Page } from '../output/lines.js';
import type { CommandSurface } from '../commands/command.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import type { SessionEvent, SessionState } from '../session/session-events.js';
import { ApprovalDialog } from './approval-dialog.js';
import { ChoiceList, Pager, Question } from './dialogs.js';
import { footer, queueLines, spinnerMs, statusLine, statePhrase } from './status.js';
import { PromptEditor } from './prompt-editor.js';
import { saidItem } from './message-items.js';
import { SessionItems } from './session-items.js';
import { columnsOf, cutLine, isKey } from './layout.js';
import type { Status } from './status.js';
import type { Styles, FrontPart } from './layout.js';
import { Transcript } from './transcript.js';
import { Wheel } from './terminal.js';

/** The transcript has so many lines at least, if the terminal has them. */
const minTranscript = 3;
/** A user who has typed within this time goes on typing, also when a call begins to wait. Unit: milliseconds. */
const typingMs = 1_000;

/** The figures of the status line besides the state of the session. */
export type Figures = Omit<Status, 'state' | 'isBusy' | 'elapsedMs' | 'isCondensingBehind'>;

/** Options of {@link Screen}. */
export interface ScreenOptions {
  readonly terminal: Terminal;
  readonly styles: Styles;
  readonly session: InteractiveSession;
  /** Called with each line that was typed: a command, or a message. */
  readonly submitted: (text: string, screen: Screen) => void;
  readonly figures: () => Figures;
  /** The time, in milliseconds. @defaultValue Date.now */
  readonly now?: () => number;
  /** Stops the process until the user brings it back. Without it Ctrl-Z does nothing. */
  readonly suspend?: () => Promise<void>;
}

/** The screen: draws the events of a session, and takes what the user types. It decides nothing. */
export class Screen implements CommandSurface, Component {
  readonly session: InteractiveSession;
  readonly editor: PromptEditor;
  readonly transcript: Transcript;
  readonly #options: Required<Pick<ScreenOptions, 'now'>> & ScreenOptions;
  readonly #tui: TUI;
  readonly #items: SessionItems;
  readonly #wheel: Wheel;
  /** In front of the input line: the last one takes the keys. */
  readonly #views: FrontPart[] = [];
  #dialog: ApprovalDialog | undefined;
  #state: SessionState;
  #stateSince: number;
  #isCondensingBehind = false;
  #sessionId: string | undefined;
  #turn: NodeJS.Timeout | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  /** Ctrl-C was pressed, and the next one leaves. */
  #isLeaving = false;

  constructor(options: ScreenOptions) {
    this.#options = { now: Date.now, ...options };
    const { terminal, styles, session } = options;
    this.session = session;
    this.#state = session.state;
    this.#stateSince = this.#options.now();
    this.#tui = new TUI(terminal, true);
    this.transcript = new Transcript(styles);
    this.#items = new SessionItems(this.transcript, styles, {
      diffOf: (action) => session.diffOf(action),
      condensationLines: (id) => this.#condensationLines(id),
      changed: () => this.requestRender(),
    });
    this.editor = new PromptEditor(this.#tui, styles);
    this.editor.onSubmit = (text) => this.#submit(text);
    this.#wheel = new Wheel({ scroll: (lines) => this.#scroll(lines), key: (data) => this.#key(data) });
    this.#tui.addChild(this);
    this.#tui.setFocus(this);
  }

  /** The id of the session that was opened last. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Takes the terminal, and draws the first frame. */
  open(): void {
    this.#tui.start();
    this.session.observe((event) => this.#follow(event));
  }

  /** Gives the terminal back. */
  async close(): Promise<void> {
    clearInterval(this.#turn);
    this.#turn = undefined;
    await this.#options.terminal.drainInput();
    // pi-tui would move the cursor below a frame that is gone.
    this.#options.terminal.stop();
    this.#tui.stop();
  }

  requestRender(): void {
    this.#tui.requestRender();
  }

  say(text: string): void {
    this.transcript.add(saidItem(text, this.#options.styles));
    this.transcript.toEnd();
    this.requestRender();
  }

  /** A line of the program in the transcript. */
  notice(level: 'info' | 'problem', text: string): void {
    this.#items.notice(level, text);
    this.requestRender();
  }

  show(page: Page): Promise<void> {
    return this.#inFront((close) => {
      return new Pager(page, {
        styles: this.#options.styles,
        rows: () => this.#options.terminal.rows,
        close: () => close(undefined),
      });
    });
  }

  choose(title: string, items: readonly Choice[]): Promise<string | undefined> {
    return this.#inFront((chosen) => {
      const maxVisible = (): number => Math.max(3, Math.floor(this.#options.terminal.rows / 2) - 3);
      return new ChoiceList({ title, items, styles: this.#options.styles, maxVisible, chosen });
    });
  }

  ask(question: string): Promise<string | undefined> {
    return this.#inFront((answered) => new Question({ question, styles: this.#options.styles, answered }));
  }

  edit(text: string): void {
    this.editor.replaceText(text);
    this.requestRender();
  }

  async #condensationLines(id: string): Promise<readonly Line[] | undefined> {
    const { opened } = this.session;
    if (opened === undefined) return undefined;
    const { conversation, agent } = opened;
    // Loaded by then: the agent needs what it needs, and the first frame does not.
    const { condensationHistory, condensationLines } = await import('../output/condensation-lines.js');
    const details = condensationHistory(conversation.events).details(id);
    const known = { view: conversation.view, prices: agent.llm.prices };
    return details === undefined ? undefined : condensationLines(details, known);
  }

  /** Nothing is cached here: each part remembers its own lines. */
  invalidate(): void {}

  /** The frame: as many lines as the terminal has, none wider. */
  render(width: number): string[] {
    const { rows } = this.#options.terminal;
    const lines = this.#frame(width, rows);
    while (lines.length < rows) lines.push('');
    // pi-tui ends the program for a line that is wider than the terminal.
    return lines.slice(-rows).map((line) => (columnsOf(line) > width ? cutLine(line, width) : line));
  }

  handleInput(data: string): void {
    if (isKeyRelease(data)) return;
    // In a dialog, where arrows choose, several at once are keys all the same: they came late, and an answer must not go astray.
    if (this.#takesWheel()) this.#wheel.handleInput(data);
    else this.#key(data);
  }

  #takesWheel(): boolean {
    const front = this.#views.at(-1);
    if (front !== undefined) return front instanceof Pager;
    return this.#dialogInFront() === undefined && !this.editor.isShowingAutocomplete();
  }

  #frame(width: number, rows: number): string[] {
    const front = this.#views.at(-1);
    if (front !== undefined || this.#dialogInFront() === undefined) this.#dialog?.hide();
    if (front instanceof Pager) return [...front.render(width)];
    const { styles } = this.#options;
    const below = [
      ...queueLines(this.session.queue, width, styles),
      ...(front?.render(width) ?? this.#dialogInFront()?.render(width) ?? this.editor.render(width)),
      statusLine(this.#status(), width, styles),
      ...(rows < 12 || front !== undefined || this.#dialogInFront() !== undefined
        ? []
        : [footer(this.#situation(), width, styles)]),
    ];
    const height = Math.max(0, rows - below.length);
    const lines = height === 0 ? [] : [...this.transcript.render(width, height)];
    while (lines.length < height) lines.push('');
    return [...lines, ...below];
  }

  #status(): Status {
    const { now } = this.#options;
    return {
      ...this.#options.figures(),
      state: statePhrase(this.#state),
      isBusy: this.#isBusy(),
      elapsedMs: this.#isBusy() ? now() - this.#stateSince : undefined,
      isCondensingBehind: this.#isCondensingBehind,
    };
  }

  #situation(): Parameters<typeof footer>[0] {
    return {
      isLeaving: this.#isLeaving,
      isFocused: this.transcript.focused !== undefined,
      isAtEnd: this.transcript.isAtEnd,
      isWorking: this.#state.type === 'working',
      isTyping: this.#dialog !== undefined && this.#dialogInFront() === undefined,
      hasQueue: this.session.queue.length > 0,
    };
  }

  #isBusy(): boolean {
    return this.#state.type === 'working' || this.#state.type === 'opening';
  }

  /** The dialog, unless the user is in the middle of a word that would answer it. */
  #dialogInFront(): ApprovalDialog | undefined {
    const isTyping = this.editor.getText() !== '' && this.#options.now() - this.#typedAt < typingMs;
    return isTyping && this.#dialog?.isTyping === false ? undefined : this.#dialog;
  }

  #follow(event: SessionEvent): void {
    switch (event.type) {
      case 'opened':
        this.#sessionId = event.init.session;
        this.#items.opened(event);
        break;
      case 'logged':
        this.#items.logged(event);
        break;
      case 'diff':
        this.#items.changed(event.action, event.diff);
        break;
      case 'delta':
        this.#items.delta(event.delta);
        break;
      case 'state':
        this.#enter(event.state);
        break;
      case 'background':
        this.#isCondensingBehind = event.isCondensing;
        break;
      case 'retry':
        this.#items.retried(event);
        break;
      case 'notice':
        this.#items.notice(event.level, event.text);
        break;
      case 'queue':
        break;
    }
    this.requestRender();
  }

  #enter(state: SessionState): void {
    if (state.type !== this.#state.type) this.#stateSince = this.#options.now();
    if (this.#state.type === 'working' && state.type !== 'working') this.#items.stopped();
    this.#state = state;
    this.#approve(state);
    if (this.#isBusy() || state.type === 'waiting') {
      this.#turn ??= setInterval(() => this.requestRender(), spinnerMs);
    } else {
      clearInterval(this.#turn);
      this.#turn = undefined;
    }
  }

  #approve(state: SessionState): void {
    if (state.type !== 'waiting' || state.approvals.length === 0) this.#dialog = undefined;
    else if (this.#dialog !== undefined) this.#dialog.update(state.approvals);
    else {
      this.transcript.toEnd();
      this.#dialog = new ApprovalDialog(state.approvals, {
        styles: this.#options.styles,
        maxHeight: () => Math.max(8, this.#options.terminal.rows - minTranscript - 2),
        answer: (ids, answer) => this.session.answer(ids, answer),
        changed: () => this.requestRender(),
        now: this.#options.now,
      });
    }
  }

  #inFront<Result>(view: (close: (result: Result | undefined) => void) => FrontPart): Promise<Result | undefined> {
    return new Promise((resolve) => {
      const shown = view((result) => {
        const at = this.#views.indexOf(shown);
        if (at !== -1) this.#views.splice(at, 1);
        resolve(result);
        this.requestRender();
      });
      this.#views.push(shown);
      this.requestRender();
    });
  }

  #scroll(lines: number): void {
    const front = this.#views.at(-1);
    if (front !== undefined) front.scroll?.(lines);
    else this.transcript.scroll(lines);
    this.requestRender();
  }

  #key(data: string): void {
    const wasLeaving = this.#isLeaving;
    this.#isLeaving = false;
    this.requestRender();
    if (isKey(data, 'ctrl+z')) return void this.#suspend();
    const front = this.#views.at(-1);
    if (front !== undefined) return front.handleInput(data);
    const dialog = this.#dialogInFront();
    if (dialog?.isTyping === true) return dialog.handleInput(data);
    if (isKey(data, 'ctrl+c')) return this.#interruptOrLeave(wasLeaving);
    if (isKey(data, 'ctrl+d') && (dialog !== undefined || this.editor.getText() === '')) return this.#leave();
    if (this.#moves(data)) return;
    if (isKey(data, 'escape') && this.#escape()) return;
    if (dialog !== undefined) return dialog.handleInput(data);
    this.#typedAt = this.#options.now();
    if (isKey(data, 'up') && this.editor.getText() === '' && this.session.queue.length > 0) {
      return this.editor.replaceText(this.session.withdraw() ?? '');
    }
    if (isKey(data, 'enter') && this.editor.getText() === '' && this.transcript.focused !== undefined) {
      return this.transcript.toggle();
    }
    this.editor.handleInput(data);
  }

  /** Takes a key that moves in the transcript. Returns true if it was one. */
  #moves(data: string): boolean {
    const { transcript } = this;
    const isEmpty = this.editor.getText() === '';
    // A long call scrolls in its dialog.
    if (this.#dialogInFront() !== undefined) return transcript.handleKey(data);
    if (isKey(data, 'pageUp')) transcript.scrollPages(-1);
    else if (isKey(data, 'pageDown')) transcript.scrollPages(1);
    else if (isEmpty && isKey(data, 'home')) transcript.toStart();
    else if (isEmpty && isKey(data, 'end')) transcript.toEnd();
    else return transcript.handleKey(data);
    return true;
  }

  /** Esc interrupts, or leaves the item in focus. True if it was for one of them. */
  #escape(): boolean {
    if (this.editor.isShowingAutocomplete()) return false;
    if (this.#state.type === 'working' || this.#state.type === 'waiting') {
      this.session.interrupt();
      return true;
    }
    if (this.transcript.focused === undefined && this.transcript.isAtEnd) return false;
    this.transcript.leaveFocus();
    return true;
  }

  #interruptOrLeave(isSecond: boolean): void {
    const { type } = this.#state;
    const isInterrupted = this.#state.type === 'working' && this.#state.isInterrupted;
    if (isSecond) return this.#leave();
    if ((type === 'working' || type === 'waiting') && !isInterrupted) return this.session.interrupt();
    if (this.editor.getText() !== '') return this.editor.setText('');
    this.#isLeaving = true;
  }

  #leave(): void {
    void this.session.close();
  }

  #submit(text: string): void {
    if (text.trim() === '') return;
    this.editor.addToHistory(text);
    this.transcript.leaveFocus();
    this.#options.submitted(text, this);
  }

  async #suspend(): Promise<void> {
    if (this.#options.suspend === undefined) return;
    this.#options.terminal.stop();
    await this.#options.suspend();
    this.#tui.start();
    this.#tui.requestRender(true);
  }
}
