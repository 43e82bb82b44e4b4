import type { ViteUserConfig } from 'vitest/config';

/** Tests run on the sources of every package, with no build. */
const conditions = ['@palimpsest/source'];

export const vitestBase: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts'],
    // The files of a worker share its modules, which hold no state: loading them anew took a third of all the time. A test that
    // changes something global puts it back.
    isolate: false,
    restoreMocks: true,
    // Tests run beside builds and other tests; a limit stops what hangs and asserts no speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
  },
};
