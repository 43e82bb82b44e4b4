import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { folderIn } from '../data-folder.js';
import { OrderFolder } from '../control/order-folder.js';
import { undoOf } from '../control/undo-price.js';
import { GatewayError } from '../gateway-error.js';
import { ReceiptFolder } from '../receipts/receipt-folder.js';
import { conversationId } from './pause.js';
import { withData } from './setting.js';
import type { DataFlags } from './setting.js';

interface Flags extends DataFlags {
  readonly yes: boolean;
}

/** Adds the command that takes a condensation back, after it has said what that costs. It works on a gateway that runs. */
export function addUndo(program: Command): void {
  withData(program.command('undo'))
    .description('takes the newest condensation of a conversation back, and pauses it; first says what that costs')
    .argument('<id>', 'the conversation, as `report` names it')
    .option('--yes', 'does not ask', false)
    .action(async (given: string, { data, yes }: Flags) => {
      const conversation = conversationId(given);
      const { receipts } = await new ReceiptFolder(folderIn(data, 'receipts')).read(conversation);
      const undo = undoOf(receipts);
      if (undo === undefined)
        throw new GatewayError('unknown-conversation', `No condensation is in force in '${conversation}'.`);
      process.stdout.write(`${undo.price}\n`);
      if (!yes && !(await isAgreed())) return;
      await new OrderFolder(folderIn(data, 'orders')).give(conversation, { isPaused: true, undo: undo.id });
      process.stdout.write('It is taken back with the next request. No other is made until you say `resume`.\n');
    });
}

/** @throws {@link GatewayError} when nobody can be asked */
async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new GatewayError('not-agreed', 'Say --yes to take it back without a question.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Take it back? [y/N] ').finally(() => terminal.close());
  return /^y(?:es)?$/i.test(answer.trim());
}
