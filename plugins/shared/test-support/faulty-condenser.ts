import { createEvent } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';

/** What is wrong with the condenser of a test build: esbuild puts it in. */
declare const PALIMPSEST_PLUGIN_FAULT: 'throws' | 'hangs' | 'loops' | 'nonsense';

/** It fails where a real condenser would begin to condense. Unit: tokens. */
const startTokens = 15_000;

/** Stands in the place of `src/condenser.ts` in a test build. */
export function condenserOf(): Condenser {
  return {
    name: 'faulty',
    condense: (view) => {
      if (view.tokens() < startTokens) return view;
      switch (PALIMPSEST_PLUGIN_FAULT) {
        case 'throws':
          throw new Error('the condenser of this test throws');
        case 'hangs':
          return new Promise<never>(() => undefined);
        case 'loops':
          for (;;);
        case 'nonsense':
          return createEvent('condensation', { forgottenEventIds: ['an event that does not exist'] });
      }
    },
  };
}
