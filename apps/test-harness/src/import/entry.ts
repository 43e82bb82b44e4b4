/** A place in a log. Its first event gets the id of the entry; further events get `id#2`, `id#3`. */
export interface Entry {
  /** The id in the log. Without one, an id made from the position (`line-12`). */
  readonly id: string;
  readonly line?: number | undefined;
  /** As logged: ISO 8601 text, or a number of seconds or milliseconds since 1970. Default: the time of the previous event. */
  readonly timestamp?: unknown;
}
