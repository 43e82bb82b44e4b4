import type { ViteUserConfig } from 'vitest/config';

/** Tests run on the sources of every package, with no build. */
const conditions = ['@palimpsest/source'];

export const vitestBase: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
  },
};
