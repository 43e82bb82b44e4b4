import { expect, test } from 'vitest';
import { answer, plainConversation, text, toolSteps, user } from '../test-support/conversations.js';
import { entriesOf, fakeContext, fakePi } from '../test-support/fake-pi.js';
import type { PiMessage } from './codec/pi-message.js';
import { startSession } from './pi-session.js';

// `session_before_compact` as pi 1.5.2 sends it.

interface Asked {
  readonly messages: readonly PiMessage[];
  readonly keepRecentTokens?: number;
  readonly previousSummary?: string;
  readonly customInstructions?: string;
}

/** pi keeps the newest messages from its cut point on, here the last twenty. */
function asked({ messages, keepRecentTokens = 20_000, previousSummary, customInstructions }: Asked) {
  const branchEntries = entriesOf(messages);
  const cut = branchEntries.length - 20;
  const preparation = {
    firstKeptEntryId: branchEntries[cut]?.id,
    messagesToSummarize: messages.slice(0, cut - 1),
    turnPrefixMessages: [],
    isSplitTurn: true,
    tokensBefore: 50_000,
    previousSummary,
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens },
  };
  return { preparation, branchEntries, customInstructions, reason: 'manual', willRetry: false };
}

interface Answer {
  readonly compaction: { readonly summary: string; readonly firstKeptEntryId: string; readonly tokensBefore: number };
}

async function compacted(event: object): Promise<Answer | undefined> {
  const ctx = fakeContext({ id: 'one' });
  const session = await startSession(fakePi(), ctx, '1.5.2');
  return session.compact(event as Readonly<Record<string, unknown>>, ctx);
}

test('the summary holds the words of the user, the digest and what is left, without addresses', async () => {
  const messages = [
    ...plainConversation(20),
    answer([text('Read.')]),
    user('Now mend the shop.'),
    ...toolSteps(20, 40, 400),
  ];
  const { compaction } = (await compacted(asked({ messages })))!;
  expect(compaction).toMatchObject({ tokensBefore: 50_000 });
  expect(compaction.summary).toContain('Read all the files and say what they do.');
  expect(compaction.summary).toContain('Now mend the shop.');
  expect(compaction.summary).toContain('src/toolu_3_0.ts');
  expect(compaction.summary).not.toMatch(/\(address [0-9a-z]{8}\)/);
  expect(compaction.summary.length).toBeLessThan(JSON.stringify(messages).length / 4);
});

test('of what pi would keep the newest steps stay, and a result stays with its call', async () => {
  const messages = plainConversation(40);
  const long = [...messages, ...toolSteps(40, 42, 3_000)];
  const small = asked({ messages });
  const firstKept = (await compacted(small))!.compaction.firstKeptEntryId;
  // pi's own cut point, or the first call behind it.
  expect(Number(firstKept.slice(6)) - Number(small.preparation.firstKeptEntryId?.slice(6))).toBeLessThanOrEqual(1);
  const { compaction } = (await compacted(asked({ messages: long })))!;
  const kept = entriesOf(long).find(({ id }) => id === compaction.firstKeptEntryId);
  expect(kept?.message).toMatchObject({
    role: 'assistant',
    content: expect.arrayContaining([expect.objectContaining({ id: 'toolu_41_0' })]),
  });
  expect(compaction.summary).toContain('src/toolu_39_0.ts');
  // Who wants another size gets it.
  const own = (await compacted(asked({ messages: long, keepRecentTokens: 9_000 })))!.compaction.firstKeptEntryId;
  expect(own).toBe(asked({ messages: long }).preparation.firstKeptEntryId);
});

test('an earlier summary stays in the new one', async () => {
  const event = asked({ messages: plainConversation(40), previousSummary: 'The invoices are rounded twice.' });
  expect((await compacted(event))?.compaction.summary).toContain('The invoices are rounded twice.');
});

test('what is too long, and a form that is not known, is left to pi', async () => {
  const huge = Array.from({ length: 8 }, (_, index) => user(`${index} ${'word '.repeat(5_000)}`));
  expect(await compacted(asked({ messages: [...huge, ...toolSteps(0, 30)] }))).toBeUndefined();
  expect(await compacted({ preparation: { firstKeptEntryId: 7 } })).toBeUndefined();
  expect(await compacted({})).toBeUndefined();
});
