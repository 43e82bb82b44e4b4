import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { serve } from '../serve/serve.js';
import { condensingOptions, withCondensing, withData, workerProgram } from './setting.js';
import type { CondensingFlags, DataFlags } from './setting.js';

interface Flags extends DataFlags, CondensingFlags {
  readonly upstream: readonly string[];
  readonly port: number;
}

/** Adds the command that serves agents which are started elsewhere. */
export function addServe(program: Command): void {
  withCondensing(withData(program.command('serve')))
    .description('serves agents that are told its addresses, until it is ended')
    .requiredOption(
      '--upstream <name=url>',
      'a provider: anthropic=https://api.anthropic.com; may be repeated',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--port <number>', 'where it listens on this machine', portOf, 8787)
    .action(async ({ upstream, port, ...flags }: Flags) => {
      const condensing = await condensingOptions(flags);
      process.exitCode = await serve({ ...condensing, upstreams: upstream, port, program: workerProgram });
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new InvalidArgumentError('A port is a number up to 65535.');
}
