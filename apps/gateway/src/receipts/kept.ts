import { open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { folderIn } from '../data-folder.js';
import { ReceiptFolder } from './receipt-folder.js';
import type { ReceiptFile } from './receipt-folder.js';

/** All that is kept under one log: its events, and the receipts of the conversations that begin with it. */
interface Kept {
  readonly log: string;
  readonly receipts: readonly ReceiptFile[];
  /** The files of the event store. */
  readonly events: readonly string[];
  readonly bytes: number;
  readonly usedAt: Date;
}

/** The limits of all that is kept. */
export interface Bounds {
  /** @defaultValue 268435456 (256 MiB) */
  readonly bytes?: number | undefined;
  /** Unit: days since the last request. @defaultValue 90 */
  readonly days?: number | undefined;
  /** The clock. @defaultValue the system clock */
  readonly now?: (() => Date) | undefined;
}

/** The result of a deletion. */
export interface Forgotten {
  readonly conversations: number;
  readonly bytes: number;
  /** The conversations that an agent still goes on with. They stay. */
  readonly inUse: readonly string[];
  /** The conversations that begin as the forgotten one does: the events belong to them, too, and stay. */
  readonly shared: readonly string[];
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Deletes the oldest conversations until what is left keeps within the bounds. None that is in use. @throws what the file system says */
export async function keepWithin(
  data: string,
  { bytes = 256 * 1024 * 1024, days = 90, now = () => new Date() }: Bounds = {},
): Promise<void> {
  const kept = (await keptIn(data)).toSorted((one, other) => one.usedAt.getTime() - other.usedAt.getTime());
  let left = kept.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of kept) {
    const age = now().getTime() - one.usedAt.getTime();
    if (left <= bytes && age <= days * dayMs) return;
    if (await isInUse(one, now())) continue;
    await remove(data, one);
    left -= one.bytes;
  }
}

/** Deletes all conversations whose last request is so many days old, with their events. @throws what the file system says */
export async function forgetOlderThan(data: string, days: number, now = new Date()): Promise<Forgotten> {
  const forgotten = { conversations: 0, bytes: 0, inUse: [] as string[], shared: [] };
  for (const one of await keptIn(data)) {
    if (now.getTime() - one.usedAt.getTime() < days * dayMs) continue;
    const conversations = one.receipts.map(({ conversation }) => conversation);
    if (await isInUse(one, now)) {
      forgotten.inUse.push(...conversations);
      continue;
    }
    await remove(data, one);
    forgotten.conversations += conversations.length;
    forgotten.bytes += one.bytes;
  }
  return forgotten;
}

/** Deletes one conversation. Its events stay if they are those of another one, too. Undefined if it is not known. @throws what the file system says */
export async function forgetConversation(data: string, id: string, now = new Date()): Promise<Forgotten | undefined> {
  const kept = (await keptIn(data)).find(({ receipts }) => receipts.some(({ conversation }) => conversation === id));
  if (kept === undefined) return undefined;
  const own = kept.receipts.filter(({ conversation }) => conversation === id);
  const others = kept.receipts.filter(({ conversation }) => conversation !== id);
  const shared = others.map(({ conversation }) => conversation);
  if (await isInUse({ ...kept, receipts: own }, now)) return { conversations: 0, bytes: 0, inUse: [id], shared };
  const part =
    others.length === 0
      ? kept
      : { ...kept, receipts: own, events: [], bytes: own.reduce((sum, { bytes }) => sum + bytes, 0) };
  await remove(data, part);
  return { conversations: 1, bytes: part.bytes, inUse: [], shared };
}

async function keptIn(data: string): Promise<readonly Kept[]> {
  const byLog = new Map<string, { receipts: ReceiptFile[]; events: string[]; bytes: number; usedAt: Date }>();
  const add = (log: string, bytes: number, usedAt: Date) => {
    const kept = byLog.get(log) ?? { receipts: [], events: [], bytes: 0, usedAt };
    byLog.set(log, kept);
    kept.bytes += bytes;
    if (usedAt > kept.usedAt) kept.usedAt = usedAt;
    return kept;
  };
  for (const file of await new ReceiptFolder(folderIn(data, 'receipts')).files())
    add(file.log, file.bytes, file.usedAt).receipts.push(file);
  const sessions = folderIn(data, 'sessions');
  for (const name of await readdir(sessions).catch(() => [])) {
    const file = path.join(sessions, name);
    const stats = await stat(file).catch(() => undefined);
    const [log = ''] = name.split('.');
    if (stats !== undefined) add(log, stats.isFile() ? stats.size : 0, stats.mtime).events.push(file);
  }
  return [...byLog].map(([log, kept]) => ({ log, ...kept }));
}

async function remove(data: string, { receipts, events }: Kept): Promise<void> {
  const orders = receipts.map(({ conversation }) => path.join(folderIn(data, 'orders'), `${conversation}.json`));
  for (const file of [...receipts.map((one) => one.path), ...events, ...orders])
    await rm(file, { recursive: true, force: true });
}

/** Returns true if the process that has made the newest receipt lives, and the receipt is not a day old. */
async function isInUse({ receipts }: Pick<Kept, 'receipts'>, now: Date): Promise<boolean> {
  for (const { path: file, usedAt } of receipts) {
    if (now.getTime() - usedAt.getTime() < dayMs && isAlive(await lastProcess(file))) return true;
  }
  return false;
}

/** A receipt is shorter. Unit: bytes. */
const lastBytes = 64 * 1024;

async function lastProcess(file: string): Promise<number | undefined> {
  const opened = await open(file, 'r').catch(() => undefined);
  if (opened === undefined) return undefined;
  try {
    const { size } = await opened.stat();
    const { buffer, bytesRead } = await opened.read(
      Buffer.alloc(lastBytes),
      0,
      lastBytes,
      Math.max(0, size - lastBytes),
    );
    const found = [...buffer.toString('utf8', 0, bytesRead).matchAll(/"process":(\d+)\}\n/g)].at(-1);
    return found === undefined ? undefined : Number(found[1]);
  } finally {
    await opened.close();
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
