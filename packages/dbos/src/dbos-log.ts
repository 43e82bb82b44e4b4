import type { DBOSConfig } from '@dbos-inc/dbos-sdk';

/** The port to which DBOS writes its log. */
export type DLogger = NonNullable<DBOSConfig['logger']>;

/** Nothing: what matters to an application is told to `onEnd` and `onTrouble`. */
export const silent: DLogger = {
  info: () => undefined,
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
