import type { Event } from '@palimpsest/events';

/** Where a host takes the events that are emitted: one by one, or in batches. */
export type EventSink =
  | {
      /**
       * Called with each event, in the order of the log. The next one follows when it resolves. A host that keeps logs on disk
       * uses `onEvents`: events that it stores one by one can be cut off in the middle of an answer.
       */
      readonly onEvent: (event: Event) => void | Promise<void>;
      readonly onEvents?: OnEvents;
    }
  | {
      readonly onEvent?: (event: Event) => void | Promise<void>;
      /**
       * Called in place of `onEvent` with the events that belong together, in the order of the log: all events of one answer of
       * the model, or a tool's result with the whole of its output. Append them all or none.
       */
      readonly onEvents: OnEvents;
    };

type OnEvents = (batch: readonly Event[]) => void | Promise<void>;

/** Hands on events that belong together. Resolves when the host has taken all of them. */
export type Emit = (...batch: readonly Event[]) => Promise<void>;

/**
 * The way into a sink. An empty batch is handed to nobody.
 *
 * @throws TypeError when the sink has neither `onEvent` nor `onEvents`.
 */
export function emitTo({ onEvent, onEvents }: EventSink): Emit {
  if (onEvents === undefined && onEvent === undefined) throw new TypeError('onEvent or onEvents must be given.');
  return async (...batch) => {
    if (batch.length === 0) return;
    if (onEvents !== undefined) return onEvents(batch);
    for (const event of batch) await onEvent?.(event);
  };
}
