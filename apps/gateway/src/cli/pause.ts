import type { Command } from 'commander';
import { folderIn } from '../data-folder.js';
import { OrderFolder } from '../control/order-folder.js';
import { GatewayError } from '../gateway-error.js';
import { withData } from './setting.js';
import type { DataFlags } from './setting.js';

/** Adds the commands that stop condensation of a conversation, and go on with it. They work on a gateway that runs. */
export function addPause(program: Command): void {
  const order =
    (isPaused: boolean, said: string) =>
    async (id: string, { data }: DataFlags) => {
      const orders = new OrderFolder(folderIn(data, 'orders'));
      await orders.give(conversationId(id), { isPaused });
      process.stdout.write(`${said}\n`);
    };
  withData(program.command('pause'))
    .description('makes no new condensation in a conversation; those that were made hold')
    .argument('<id>', 'the conversation, as `report` names it')
    .action(order(true, 'From its next request on nothing more is condensed in it. Go on with `resume`.'));
  withData(program.command('resume'))
    .description('condenses again in a conversation that was paused')
    .argument('<id>', 'the conversation, as `report` names it')
    .action(order(false, 'From its next request on it is condensed again, where that pays.'));
}

/** Returns the id of a conversation. @throws {@link GatewayError} when it can be none */
export function conversationId(id: string): string {
  if (/^[0-9a-f]{12}$/.test(id)) return id;
  throw new GatewayError(
    'unknown-conversation',
    `'${id}' is no conversation: \`palimpsest-gateway report\` lists them.`,
  );
}
