/** A streamed answer that ended incorrectly: it was cut, or it is not in the provider's form. */
export class BrokenStreamError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the answer broke off while it was streamed (${why})`, { cause });
    this.name = 'BrokenStreamError';
  }
}
