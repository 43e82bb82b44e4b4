import { copyFileSync, cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'tsup';
import { plugin } from '../../tsup.base.ts';

/** `dist` is a marketplace, and `dist/plugin` the plugin that it lists. */
const marketplace = {
  name: 'palimpsest-ts',
  owner: { name: 'Palimpsest', url: 'https://github.com/palimpsest-ts/palimpsest' },
  description: 'Condensation inside Claude Code',
  plugins: [{ name: 'palimpsest', source: './plugin' }],
};

export default defineConfig(({ outDir = 'dist' }) => ({
  ...plugin,
  entry: { 'plugin/hooks/register': 'src/register.ts' },
  onSuccess: async () => {
    const target = path.join(outDir, 'plugin');
    cpSync('plugin', target, { recursive: true });
    copyFileSync('README.md', path.join(target, 'README.md'));
    copyFileSync('../../LICENSE', path.join(target, 'LICENSE'));
    renameSync(path.join(outDir, 'third-party-notices.txt'), path.join(target, 'third-party-notices.txt'));
    mkdirSync(path.join(outDir, '.claude-plugin'), { recursive: true });
    writeFileSync(path.join(outDir, '.claude-plugin/marketplace.json'), `${JSON.stringify(marketplace, null, 2)}\n`);
  },
}));
