#!/usr/bin/env node
import path from 'node:path';
import { Command } from 'commander';
import { createCondenserPackage } from './create-package.js';

const program = new Command('create-condenser')
  .description('Writes a package with a condenser of your own: code, tests under vitest and node:test, README.')
  .argument('<name>', 'the name of the npm package, such as @acme/condenser-keep-newest')
  .option('-d, --directory <folder>', 'the folder to write to; it must be empty or not exist')
  .configureHelp({ showGlobalOptions: true })
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  })
  .action(async (name: string, { directory }: { directory?: string }) => {
    const created = await createCondenserPackage(name, { directory });
    const relative = path.relative(process.cwd(), created.directory) || '.';
    const shown = relative.startsWith('..') ? created.directory : relative;
    console.log(`${created.files.length} files in ${shown}:\n${created.files.map((file) => `  ${file}`).join('\n')}`);
    console.log(`\nNext: cd ${shown} && npm install && npm test`);
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(`create-condenser: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
