import type { Event } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import type { InitEvent, StreamEvent } from '../output/stream-event.js';
import type { Approval } from './approval.js';
import type { FileDiff } from './file-diff.js';

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
