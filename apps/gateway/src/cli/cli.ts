#!/usr/bin/env node
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { GatewayError } from '../gateway-error.js';
import { addForget } from './forget.js';
import { addPause } from './pause.js';
import { addReport } from './report.js';
import { addRun } from './run.js';
import { addServe } from './serve.js';
import { addUndo } from './undo.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const program = new Command('palimpsest-gateway')
  .version(version)
  .description('Condenses what a coding agent sends to its provider, and says what that costs.')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'palimpsest-gateway:')) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
addRun(program);
addServe(program);
addPause(program);
addUndo(program);
addForget(program);
addReport(program);

try {
  if (process.argv.length > 2) await program.parseAsync();
  else program.outputHelp();
} catch (error) {
  if (!GatewayError.isInstance(error)) throw error;
  process.stderr.write(`palimpsest-gateway: ${error.message}\n`);
  process.exitCode = error.code === 'not-started' ? 1 : 2;
}
