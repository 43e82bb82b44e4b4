import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '@palimpsest/messages';
import type { Receipt } from './receipt.js';

/** Receipts that were read, and the lines that were none. */
export interface ReadReceipts {
  readonly receipts: readonly Receipt[];
  /** Lines that are no receipts: one that was torn by a crash, or a file that something else has written. */
  readonly skipped: number;
}

/** The receipts of one conversation, in a file. */
export interface ReceiptFile {
  readonly path: string;
  readonly log: string;
  readonly conversation: string;
  readonly bytes: number;
  readonly usedAt: Date;
}

const nameForm = /^([0-9a-f]{12})-([0-9a-f]{12})\.jsonl$/;

/** Receipts as JSON Lines, a file for each conversation, readable by their user alone. A receipt that is written survives the process. */
export class ReceiptFolder {
  readonly #folder: string;
  /** Files whose last line has an end. */
  readonly #ended = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Appends a receipt, with the process that has made it. @throws what the file system says */
  append(receipt: Receipt): void {
    const file = path.join(this.#folder, `${receipt.log}-${receipt.conversation}.jsonl`);
    if (!nameForm.test(path.basename(file))) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const isTorn = !this.#ended.has(file) && endsInALine(file);
    appendFileSync(file, `${isTorn ? '\n' : ''}${JSON.stringify({ ...receipt, process: process.pid })}\n`, {
      mode: 0o600,
    });
    this.#ended.add(file);
  }

  /** Returns the files that are there. None if there is no folder. */
  async files(): Promise<readonly ReceiptFile[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.flatMap((name) => {
      const [, log, conversation] = nameForm.exec(name) ?? [];
      return log === undefined || conversation === undefined
        ? []
        : [{ path: path.join(this.#folder, name), log, conversation }];
    });
    const found = files.map(async (file): Promise<readonly ReceiptFile[]> => {
      const stats = await stat(file.path).catch(() => undefined);
      return stats === undefined ? [] : [{ ...file, bytes: stats.size, usedAt: stats.mtime }];
    });
    return (await Promise.all(found)).flat();
  }

  /** Returns the receipts of a conversation, or all, in the order in which they were written. @throws what the file system says */
  async read(conversation?: string): Promise<ReadReceipts> {
    const files = await this.files();
    const own = files.filter((file) => conversation === undefined || file.conversation === conversation);
    const texts = await Promise.all(own.map((file) => readFile(file.path, 'utf8')));
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
    const receipts = lines.flatMap((line) => receiptOf(line) ?? []);
    return { receipts, skipped: lines.length - receipts.length };
  }
}

/** Returns true if a file is there whose last line has no end: the process died while it wrote. */
function endsInALine(file: string): boolean {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch {
    return false;
  }
  try {
    const { size } = fstatSync(opened);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(opened, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
  } finally {
    closeSync(opened);
  }
}

function receiptOf(line: string): Receipt | undefined {
  try {
    const read: unknown = JSON.parse(line);
    return isReceipt(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

const texts = ['at', 'conversation', 'log', 'api', 'model', 'way'];
const numbers = ['status', 'held', 'sent', 'inForce'];

/** Checks what the account reckons with. A file can be damaged, or come from a later version. */
function isReceipt(value: unknown): value is Receipt {
  if (!isRecord(value)) return false;
  const { usage, prices, condensations, rereads, window, holdOut } = value;
  return (
    texts.every((key) => typeof value[key] === 'string') &&
    numbers.every((key) => Number.isFinite(value[key])) &&
    Number.isFinite(Date.parse(String(value['at']))) &&
    (usage === undefined ||
      hasNumbers(usage, ['uncachedInputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'])) &&
    (prices === undefined || hasNumbers(prices, ['input', 'cacheRead', 'cacheWrite', 'output'])) &&
    (rereads === undefined || hasNumbers(rereads, ['results', 'tokens', 'outputTokens'])) &&
    (holdOut === undefined || (isRecord(holdOut) && typeof holdOut['session'] === 'string')) &&
    (window === undefined || Number.isFinite(window)) &&
    Array.isArray(condensations) &&
    condensations.every((one) => hasNumbers(one, ['savedTokens', 'rewrittenTokens']) && isRecord(one['hidden']))
  );
}

function hasNumbers(value: unknown, keys: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && keys.every((key) => Number.isFinite(value[key]));
}
