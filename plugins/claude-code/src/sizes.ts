import type { SessionRow } from './host.js';
import { isSessionRow, rowKey } from './rows.js';

/** Returns the size of rows. Unit: tokens, at four characters each. */
export function tokensOf(rows: readonly SessionRow[]): number {
  return Math.ceil(rows.filter(isSessionRow).reduce((sum, row) => sum + rowKey(row).length, 0) / 4);
}
