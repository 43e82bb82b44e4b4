import type { Delta } from '@palimpsest/llm-adapters';

/** The same listener, with its errors ignored. */
export function withErrorsIgnored(onDelta: (delta: Delta) => unknown): (delta: Delta) => void {
  return (delta) => {
    try {
      const result = onDelta(delta);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // A display that fails must not end the run.
    }
  };
}
