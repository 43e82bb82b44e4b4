import { fileEventStore } from '@palimpsest/events/file';
import { folderIn } from '../data-folder.js';
import { byConversation, totalOf } from '../receipts/account.js';
import type { Figures } from '../receipts/account.js';
import { heldOutOf } from '../receipts/held-out.js';
import type { HeldOut } from '../receipts/held-out.js';
import { ReceiptFolder } from '../receipts/receipt-folder.js';
import { conversationReport } from './conversation-report.js';
import type { ConversationReport } from './conversation-report.js';

/** The report on all conversations. */
export interface Report {
  readonly total: Figures;
  /** The newest first. */
  readonly conversations: readonly ConversationReport[];
  /** @defaultValue no session is held out, or one conversation is asked for */
  readonly heldOut?: HeldOut | undefined;
  /** Lines of the receipts that could not be read. */
  readonly skippedLines: number;
}

/** Reads the receipts, of one conversation or of all. @throws what the file system says */
export async function readReport(data: string, conversation?: string): Promise<Report> {
  const { receipts, skipped } = await new ReceiptFolder(folderIn(data, 'receipts')).read(conversation);
  const conversations = byConversation(receipts).map(conversationReport);
  return {
    total: totalOf(conversations),
    conversations: conversations.toSorted((one, other) => other.lastAt.localeCompare(one.lastAt)),
    heldOut: conversation === undefined ? heldOutOf(receipts) : undefined,
    skippedLines: skipped,
  };
}

/** Returns the conversation with the summaries that stand in its log. Without those if the log cannot be read. */
export async function withSummaries(data: string, report: ConversationReport): Promise<ConversationReport> {
  const store = fileEventStore({ directory: folderIn(data, 'sessions'), onRepair: () => undefined });
  const summaries = new Map<string, string>();
  try {
    for await (const event of store.read(report.log))
      if (event.type === 'condensation' && event.summary !== undefined) summaries.set(event.id, event.summary);
  } catch {
    // What was read before the damage is shown.
  }
  return { ...report, made: report.made.map((one) => ({ ...one, summary: summaries.get(one.id) })) };
}
