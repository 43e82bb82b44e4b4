import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { GatewayError } from '../gateway-error.js';
import { forgetConversation, forgetOlderThan } from '../receipts/kept.js';
import type { Forgotten } from '../receipts/kept.js';
import { conversationId } from './pause.js';
import { withData } from './setting.js';
import type { DataFlags } from './setting.js';

interface Flags extends DataFlags {
  readonly all?: true;
  readonly olderThan?: number;
}

/** Adds the command that deletes what the gateway keeps of conversations. */
export function addForget(program: Command): void {
  withData(program.command('forget'))
    .description(
      'deletes what is kept of conversations: their condensations, with the words in them, and their receipts',
    )
    .argument('[id]', 'the conversation, as `report` names it')
    .addOption(new Option('--all', 'all of them').conflicts('olderThan'))
    .option('--older-than <days>', 'those without a request for so long: 30d', daysOf)
    .action(async (id: string | undefined, { data, all, olderThan }: Flags) => {
      const days = all === true ? 0 : olderThan;
      if ((id === undefined) === (days === undefined))
        throw new GatewayError('unknown-conversation', 'Name a conversation, or say --all or --older-than 30d.');
      const forgotten =
        days === undefined ? await one(data, conversationId(id ?? '')) : await forgetOlderThan(data, days);
      process.stdout.write(`${linesOf(forgotten).join('\n')}\n`);
      if (forgotten.inUse.length > 0) process.exitCode = 1;
    });
}

async function one(data: string, id: string): Promise<Forgotten> {
  const forgotten = await forgetConversation(data, id);
  if (forgotten !== undefined) return forgotten;
  throw new GatewayError(
    'unknown-conversation',
    `Nothing is kept of '${id}': \`palimpsest-gateway report\` lists what is.`,
  );
}

function linesOf({ conversations, bytes, inUse, shared }: Forgotten): readonly string[] {
  const count = `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`;
  return [
    `${count} forgotten, ${Math.ceil(bytes / 1_000)} kB.`,
    ...(shared.length === 0
      ? []
      : [`Its condensations stay: they hold for ${shared.join(', ')}, too, which begins alike.`]),
    ...(inUse.length === 0 ? [] : [`In use, and kept: ${inUse.join(', ')}. End the agent first.`]),
  ];
}

function daysOf(text: string): number {
  const [, days] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidArgumentError('Write a number of days: 30d.');
  return Number(days);
}
