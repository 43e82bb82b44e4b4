/** The place in a log from which events are made: their ids are its id, then `id#2`, `id#3`. */
export interface Entry {
  /** The log's own id, or one made from the position (`line-12`). */
  readonly id: string;
  readonly line?: number | undefined;
  /** As logged: ISO 8601 text, or milliseconds since 1970. Without one, the time of the event before is taken. */
  readonly timestamp?: unknown;
}
