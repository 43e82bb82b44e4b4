import { EventStoreError } from '@palimpsest/events';

/** The time within which the database answers what is asked outside of a run, and within which a connection begins. Unit: milliseconds. */
export const answerMs = 5_000;

/**
 * Settles as the work does, within a time.
 *
 * @throws {@link EventStoreError} when PostgreSQL has not answered in that time. What was asked may be done all the same.
 */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new EventStoreError(
      `PostgreSQL did not answer within ${ms} ms: ${what}. It may have been done all the same.`,
    );
    timer = setTimeout(() => reject(error), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
