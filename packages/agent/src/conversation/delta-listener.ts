import type { Delta } from '@palimpsest/llm-adapters';

/** The same listener, except that what it throws or rejects with holds up nobody. */
export function unobtrusive(onDelta: (delta: Delta) => unknown): (delta: Delta) => void {
  return (delta) => {
    try {
      const result = onDelta(delta);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // Whoever draws the answer on a screen has a problem of their own.
    }
  };
}
