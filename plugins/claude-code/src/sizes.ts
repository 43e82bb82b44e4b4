import type { SessionRow } from './host.js';
import { rowKey } from './rows.js';

/** Returns the size of rows. Unit: tokens, at four characters each. */
export function tokensOf(rows: readonly SessionRow[]): number {
  return Math.ceil(rows.reduce((sum, row) => sum + rowKey(row).length, 0) / 4);
}
