import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { InitEvent, StreamEvent } from '../output/stream-event.js';
import type { FileDiff } from '@palimpsest/tools/diff';

/** An event of the log, and the lines that report it: none, where it concerns the program alone. */
export interface LoggedEvent {
  readonly event: Event;
  readonly told: readonly StreamEvent[];
}

/** A message of the user that no model has been sent yet. */
export interface QueuedMessage {
  /** Unique in this process. */
  readonly id: number;
  readonly text: string;
}

/** A call that waits for the user's yes. All of it but `proposedRule` and `reason` is what a model wrote. */
export interface Approval {
  /** The action in the log. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON, or broken JSON. */
  readonly arguments: string;
  /** Unchecked words of the model about its call. */
  readonly summary?: string | undefined;
  readonly risk?: string | undefined;
  /** The reason why it is asked about, in one sentence. */
  readonly reason: string;
  /** The change that the call would make in a file, if it is a change of one and can be made. */
  readonly diff?: FileDiff | undefined;
  /** A rule that allows this call and calls like it. The user may edit it. Undefined: no rule can allow it. */
  readonly proposedRule?: string | undefined;
}

/** The answer of the user to a call. */
export type ApprovalAnswer =
  | { readonly type: 'once' }
  /** Yes, and to all calls in this folder that the rule allows: until the program ends. */
  | { readonly type: 'session'; readonly rule: string }
  /** Yes, and to all calls in this folder that the rule allows, in every session. */
  | { readonly type: 'rule'; readonly rule: string }
  /** The model reads the reason. */
  | { readonly type: 'no'; readonly reason?: string | undefined };

/** The work of the agent at a moment. */
export type WorkPhase =
  /** A request was sent, and nothing of the answer is there. */
  | 'asking'
  /** The answer comes. */
  | 'answering'
  /** Tools run. */
  | 'tools'
  /** A model call failed, and is tried again after a pause. */
  | 'retrying'
  /** The condenser is at work, and the agent waits for it. */
  | 'condensing';

/** The state of a session. */
export type SessionState =
  /** Settings, model and log are being loaded. Messages are queued. */
  | {
      readonly type: 'opening';
      /** The MCP servers that it waits for. @defaultValue none */ readonly waitsFor?: readonly string[];
    }
  /** The session could not be opened, for want of a key for instance. A command, such as `/model`, can open another one. */
  | { readonly type: 'unusable'; readonly problem: string }
  | { readonly type: 'idle' }
  /** `isInterrupted`: it was told to end, and will have ended at the next state. */
  | { readonly type: 'working'; readonly phase: WorkPhase; readonly isInterrupted: boolean }
  /** The calls wait for an answer: at least one. */
  | { readonly type: 'waiting'; readonly approvals: readonly Approval[] }
  /** It is over: the program ends. */
  | { readonly type: 'closed' };

/** An event that an interactive session reports. Text of models, tools and servers is as they wrote it: it is shown, not obeyed. */
export type SessionEvent =
  /** A session was opened: the first one, or another one in its place. What was shown before is not of this one. */
  | { readonly type: 'opened'; readonly init: InitEvent; readonly history: readonly LoggedEvent[] }
  /** The log has grown. */
  | ({ readonly type: 'logged' } & LoggedEvent)
  /** The change of a file by a call; `action` is the call's event. It follows the result of the call. */
  | { readonly type: 'diff'; readonly action: string; readonly diff: FileDiff }
  /** A piece of the answer that comes. After a `restart` the pieces since the last event of the model are void. */
  | { readonly type: 'delta'; readonly delta: Delta }
  | { readonly type: 'state'; readonly state: SessionState }
  | { readonly type: 'queue'; readonly queue: readonly QueuedMessage[] }
  /** True while a small model writes a summary and the agent goes on. */
  | { readonly type: 'background'; readonly isCondensing: boolean }
  | Extract<StreamEvent, { readonly type: 'retry' }>
  /** Words of the program for the user. */
  | { readonly type: 'notice'; readonly level: 'info' | 'problem'; readonly text: string };

/** Called with everything, in order. */
export type SessionListener = (event: SessionEvent) => void;

/** The listeners of a session, and the state that was reported to them last. */
export class SessionListeners {
  readonly #all = new Set<SessionListener>();
  #state: SessionState = { type: 'opening' };

  get state(): SessionState {
    return this.#state;
  }

  /** Calls the listener with everything from now on. Returns the function that ends it. */
  observe(listener: SessionListener): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  report(event: SessionEvent): void {
    for (const listener of [...this.#all]) listener(event);
  }

  setState(state: SessionState): void {
    this.#state = state;
    this.report({ type: 'state', state });
  }

  notice(level: 'info' | 'problem', text: string): void {
    this.report({ type: 'notice', level, text });
  }
}
