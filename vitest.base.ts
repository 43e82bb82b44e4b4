import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { configDefaults } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';

/** Tests run on the sources of every package, with no build. */
const conditions = ['@palimpsest/source'];

/** Tests that cannot fail on a second version of Node alone: see docs/decisions/0001. */
const sameOnEveryEngine = [
  // That a contract finds broken implementations. Those of ours keep the contract on both.
  '**/testing/{broken-stores,llm-contract-broken,condenser-contract,view-property-contract,codec-contract}.test.ts',
  '**/replay/cheats.test.ts',
  // What policies would cost, in simulated caches.
  '**/{cache-cost,summary-cost}.test.ts',
  '**/receipts/account.test.ts',
  // Statistics on simulated tables.
  '**/compare/coverage.test.ts',
  '**/rivals/*.test.ts',
];

/**
 * V8 compiles a function optimally after it has run that much (bytes of bytecode; the default is less than a tenth): most code of a
 * test ends soon, and to compile it took up to a fifth of the time of all threads. Later versions of V8, from Node 22 on, compile in
 * more steps, and have no such option.
 */
const compilesLater = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=1000000'] : [];

/** On two cores vitest's own default is one worker. More have what runs alone, as the longest projects do, and what often waits. */
export const moreWorkers = Math.max(2, availableParallelism() - 1);

/**
 * The configuration of a project: `vitestProject(import.meta.dirname)`. What its tests need once, before all of them, is
 * `test-support/global-setup.ts`.
 *
 * Vitest keeps what a module becomes for each root, and for each text of the configuration. Both are the same for packages and
 * applications: so a module is transformed once, and not again by each project that imports it.
 */
export function vitestProject(folder: string): ViteUserConfig {
  const setup = path.join(folder, 'test-support/global-setup.ts');
  const hasSetup = existsSync(setup);
  const runsAlone = path.basename(path.dirname(folder)) === 'apps';
  return {
    root: import.meta.dirname,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    // In which vitest runs a global setup.
    environments: { __vitest__: { resolve: { conditions } } },
    test: {
      dir: folder,
      include: ['src/**/*.test.ts'],
      exclude: [
        ...configDefaults.exclude,
        // What is built, packed and installed has a run of its own: vitest.published.config.ts of the repository checks.
        'src/published/**',
        ...(process.env['PALIMPSEST_SECOND_ENGINE'] === 'true' ? sameOnEveryEngine : []),
      ],
      globalSetup: hasSetup ? [setup] : [],
      // What asks a server waits for it, and for leases of others to end.
      ...((runsAlone || hasSetup) && { maxWorkers: moreWorkers }),
      // The files of a worker share its modules, which hold no state: loading them anew took a third of all the time. A test that
      // changes something global puts it back.
      isolate: false,
      execArgv: compilesLater,
      restoreMocks: true,
      // What programs print in tests has colours where a test asks for them, whatever the runner or the caller's shell asks for.
      env: { FORCE_COLOR: '', NO_COLOR: '' },
      // On each version of Node. `vitest --clearCache` empties the folder, which grows with each edit.
      experimental: { fsModuleCache: true },
      // Tests run beside builds and other tests; a limit stops what hangs and asserts no speed. The longest test takes some 20 s, and
      // CI has time for one that hangs.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      reporters: ['default', ['json', { outputFile: path.join(folder, 'test-report.json') }]],
    },
  };
}
