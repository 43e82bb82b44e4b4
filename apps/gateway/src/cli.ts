#!/usr/bin/env node
import { Command } from 'commander';
import envPaths from 'env-paths';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UnknownAgentError } from './run/agents.js';
import { run } from './run/run.js';

const subscription = `also condense what a subscription's login sends. Providers' terms restrict routing such credentials, and may be enforced without
notice; what is saved there is no money`;

const program = new Command('palimpsest-gateway').description(
  'Condenses what a coding agent sends to its provider, and says what that costs.',
);
program
  .command('run', { isDefault: true })
  .description('starts an agent behind a gateway of its own')
  .usage('[options] -- COMMAND [ARGUMENTS...]')
  .argument('<command...>', 'the agent, with its arguments: claude, codex, qwen')
  .option('--env <name>', 'the variable that holds the base URL of another agent')
  .option('--subscription', subscription, false)
  .action(async ([command = '', ...parameters]: string[], options: { env?: string; subscription: boolean }) => {
    const directory = path.join(envPaths('palimpsest-gateway', { suffix: '' }).data, 'sessions');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const worker = { file: path.join(path.dirname(fileURLToPath(import.meta.url)), 'worker.js') };
    process.exitCode = await run(command, parameters, {
      variable: options.env,
      subscription: options.subscription,
      directory,
      worker,
    });
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UnknownAgentError)) throw error;
  process.stderr.write(`palimpsest-gateway: ${error.message}\n`);
  process.exitCode = 2;
}
