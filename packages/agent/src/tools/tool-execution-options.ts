import type { CreateEvent, Event, EventId } from '@palimpsest/events';
import type { Hooks } from '../hooks.js';
import type { Instrumentation } from '../instrumentation.js';
import type { SecretMask } from '../secrets/mask.js';
import type { EventSink } from '../event-sink.js';
import type { OutputLimit } from './output-limit.js';
import type { Toolset } from './tool-call.js';

/**
 * Options of `executeActions`. Each result is emitted as soon as it exists; the next call begins when the host has
 * taken it.
 */
export type ToolExecutionOptions = EventSink & {
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  /** The log as tools read it: {@link ToolContext}. */
  readonly log: Iterable<Event>;
  readonly event: (id: EventId) => Event | undefined;
  readonly signal?: AbortSignal;
  readonly hooks?: Hooks;
  /** The actions that the user has confirmed, for the hooks. @defaultValue none */
  readonly confirmed?: ReadonlySet<EventId>;
  /** The time limit of a call whose tool has no `timeoutMs`. Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 */
  readonly timeoutMs?: number;
  /** How many calls of tools marked `parallel` may run at the same time. @defaultValue 4 */
  readonly concurrency?: number;
  /** How much of an output the model is shown. @defaultValue 30000 characters, and a tenth of the window */
  readonly output?: OutputLimit;
  /** The model's window less its answer. Unit: tokens. @defaultValue not known: {@link OutputLimit} assumes 32000 */
  readonly contextWindow?: number;
  /** Hides values in the output of tools before it is cut or stored. @defaultValue nothing is hidden */
  readonly secrets?: SecretMask;
  /** Observes the calls that are carried out. @defaultValue nobody does */
  readonly instrumentation?: Pick<Instrumentation, 'tool'>;
};
