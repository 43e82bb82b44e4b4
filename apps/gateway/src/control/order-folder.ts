import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '@palimpsest/messages';
import type { OrderBook, Orders } from '../core/orders.js';

/** The orders of the user in a folder, so that a command can give them to a gateway that runs, or to the next one. */
export class OrderFolder implements OrderBook {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the orders for a conversation. A file that cannot be read orders nothing. */
  async of(conversation: string): Promise<Orders> {
    try {
      const read: unknown = JSON.parse(await readFile(this.#fileOf(conversation), 'utf8'));
      const { isPaused, undo } = isRecord(read) ? read : {};
      return { isPaused: isPaused === true, undo: typeof undo === 'string' ? undo : undefined };
    } catch {
      return { isPaused: false };
    }
  }

  async undone(conversation: string): Promise<void> {
    const { isPaused } = await this.of(conversation);
    await this.give(conversation, { isPaused });
  }

  /** Gives orders in the place of those before. @throws what the file system says */
  async give(conversation: string, orders: Orders): Promise<void> {
    const file = this.#fileOf(conversation);
    if (!orders.isPaused && orders.undo === undefined) return rm(file, { force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const written = `${file}.${process.pid}`;
    await writeFile(written, JSON.stringify(orders), { mode: 0o600 });
    await rename(written, file);
  }

  #fileOf(conversation: string): string {
    return path.join(this.#folder, `${conversation}.json`);
  }
}
