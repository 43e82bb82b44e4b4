import { EventStoreError } from '@palimpsest/events';

/** The names of the store's tables, quoted, as they stand in statements. */
export interface Tables {
  /** As in the names below; empty without a schema. */
  readonly schema: string;
  readonly conversations: string;
  readonly events: string;
  readonly inbox: string;
  readonly rates: string;
  /** Holds the version of the tables. */
  readonly version: string;
  /** The key that separates the locks of this schema's conversations from those of another one. */
  readonly lockSpace: string;
}

/**
 * Returns the tables in a schema.
 *
 * @param schema - undefined: wherever the search path of the connection leads
 * @throws {@link EventStoreError} when it can be no name.
 */
export function tablesIn(schema: string | undefined): Tables {
  if (
    schema !== undefined &&
    (schema === '' || schema.includes('\0') || new TextEncoder().encode(schema).length > 63)
  ) {
    throw new EventStoreError(`'${schema}' can be no schema of PostgreSQL: a name has 1 to 63 bytes and no U+0000.`);
  }
  const quoted = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}"`;
  const prefix = schema === undefined ? '' : `${quoted}.`;
  return {
    schema: quoted,
    conversations: `${prefix}palimpsest_conversations`,
    events: `${prefix}palimpsest_events`,
    inbox: `${prefix}palimpsest_inbox`,
    rates: `${prefix}palimpsest_rates`,
    version: `${prefix}palimpsest_version`,
    lockSpace: schema ?? '',
  };
}
