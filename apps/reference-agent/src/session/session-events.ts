import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { InitEvent, StreamEvent } from '../headless/stream-event.js';
import type { FileDiff } from '../interactive/file-diff.js';

/** An event of the log, and what is told of it: nothing, where it concerns the program alone. */
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
  /** As the model wrote them: JSON, or what was to be JSON. */
  readonly arguments: string;
  /** Unchecked words of the model about its call. */
  readonly summary?: string | undefined;
  readonly risk?: string | undefined;
  /** Why it is asked about, in one sentence. */
  readonly reason: string;
  /** What the call would change in a file, if it is a change of one and can be made. */
  readonly diff?: FileDiff | undefined;
  /** A rule that allows this call and calls like it. The user may edit it. Undefined: no rule can allow it. */
  readonly proposedRule?: string | undefined;
}

/** What the user says to a call. */
export type ApprovalAnswer =
  | { readonly type: 'once' }
  /** Yes, and to all calls in this folder that the rule allows: until the program ends. */
  | { readonly type: 'session'; readonly rule: string }
  /** Yes, and to all calls in this folder that the rule allows, in every session. */
  | { readonly type: 'rule'; readonly rule: string }
  /** The model reads the reason. */
  | { readonly type: 'no'; readonly reason?: string | undefined };

/** What the agent does while it works. */
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

/** What a session does now. */
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

/** What an interactive session tells, in order. Text of models, tools and servers is as they wrote it: it is shown, not obeyed. */
export type SessionEvent =
  /** A session was opened: the first one, or another one in its place. What was shown before is not of this one. */
  | { readonly type: 'opened'; readonly init: InitEvent; readonly history: readonly LoggedEvent[] }
  /** The log has grown. */
  | ({ readonly type: 'logged' } & LoggedEvent)
  /** What a call has changed in a file; `action` is the call's event. It follows the result of the call. */
  | { readonly type: 'diff'; readonly action: string; readonly diff: FileDiff }
  /** A piece of the answer that comes. After a `restart` the pieces since the last event of the model are void. */
  | { readonly type: 'delta'; readonly delta: Delta }
  | { readonly type: 'state'; readonly state: SessionState }
  | { readonly type: 'queue'; readonly queue: readonly QueuedMessage[] }
  /** Whether a small model writes a summary while the agent goes on. */
  | { readonly type: 'background'; readonly isCondensing: boolean }
  | Extract<StreamEvent, { readonly type: 'retry' }>
  /** Words of the program for the user. */
  | { readonly type: 'notice'; readonly level: 'info' | 'problem'; readonly text: string };

/** Is told everything, in order. */
export type SessionListener = (event: SessionEvent) => void;

/** What a session tells, to all who observe it, and the state that it told last. */
export class SessionListeners {
  readonly #listeners = new Set<SessionListener>();
  #state: SessionState = { type: 'opening' };

  get state(): SessionState {
    return this.#state;
  }

  /** Calls the listener with everything from now on. Returns the function that ends it. */
  observe(listener: SessionListener): () => void {
    const own: SessionListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  setState(state: SessionState): void {
    this.#state = state;
    this.tell({ type: 'state', state });
  }

  notice(level: 'info' | 'problem', text: string): void {
    this.tell({ type: 'notice', level, text });
  }
}
