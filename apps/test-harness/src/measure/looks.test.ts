import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import { replaySession } from '../replay/replay-session.js';
import { falseRereadMeter } from './false-rereads.js';
import { hardEditMeter } from './hard-edits.js';
import { recordedSession } from './recorded-session.js';
import { userWordMeter } from './user-words.js';

const count = (text: string): number => text.length;

function looked(events: readonly Event[], condenser: Condenser) {
  const session = recordedSession(events);
  const meters = {
    hardEdits: hardEditMeter(session),
    falseRereads: falseRereadMeter(session),
    userWords: userWordMeter(session),
  };
  const policy = { name: condenser.name, create: () => condenser };
  return replaySession(session, policy, meters, { count, llm: stubSummarizer(count).llm });
}

const keeping: Condenser = { name: 'keeping', condense: (view) => view };

/** Forgets what stands behind the task, up to an offset, once the view has so many events. */
const forgetting = (events: number, summary?: string, end = 3): Condenser => ({
  name: 'forgetting',
  condense: (view) =>
    view.events.length === events && view.condensations.length === 0
      ? condensation({ view, start: 1, end, ...(summary === undefined ? {} : { summary }) })
      : view,
});

const quoted = 'function one() {\n    return first;\n}';

/** A file is read, and edited so many calls later. */
function edited(between: number, edit: object = { path: 'a.ts', old_string: quoted, new_string: 'gone' }) {
  const log = logBuilder();
  log.user('Mend it.');
  log.call('read', { path: 'a.ts' }, '     1→function one() {\n     2→    return first;\n     3→}\n     4→end');
  for (let step = 0; step < between; step++) log.call('think', { step }, 'hm');
  log.call('edit', { ...edit }, 'done');
  return log.events;
}

test('an edit of old text is hard; its text is seen in the result, or in one piece of a summary', async () => {
  const share = async (condenser: Condenser) => (await looked(edited(4), condenser)).hardEdits;
  expect(await share(keeping)).toEqual({ part: 1, whole: 1 });
  expect(await share(forgetting(9))).toEqual({ part: 0, whole: 1 });
  expect(await share(forgetting(9, `Lines of a.ts:\n  function one() {\n  return first;\n  }`))).toEqual({
    part: 1,
    whole: 1,
  });
  expect(await share(forgetting(9, `Lines of a.ts:\n  function one() {\n…\n  return first;\n  }`))).toEqual({
    part: 0,
    whole: 1,
  });
});

test('an edit of text that is less than four calls old is not hard; a hunk of a patch is a quotation', async () => {
  expect((await looked(edited(2), keeping)).hardEdits.whole).toBe(0);
  expect((await looked(edited(3), keeping)).hardEdits.whole).toBe(1);
  const patch =
    '*** Begin Patch\n*** Update File: a.ts\n@@\n function one() {\n-    return first;\n+    return 2;\n }\n*** End Patch';
  expect((await looked(edited(4, { input: patch }), keeping)).hardEdits).toEqual({ part: 1, whole: 1 });
});

test('the user’s words are whole as an event or word for word in a summary', async () => {
  const log = logBuilder();
  for (const words of ['Mend it.', 'Never touch the\nlicence.', 'Be quick.']) {
    log.user(words);
    log.agent('Done.');
  }
  log.user('Go on.');
  log.call('think', {}, 'hm');
  log.agent('Done.');
  const words = async (condenser: Condenser) => (await looked(log.events, condenser)).userWords;
  const all = { messages: { part: 14, whole: 14 }, requests: { part: 5, whole: 5 } };
  expect(await words(keeping)).toEqual(all);
  // From the fourth call on, two messages are gone. A summary may quote one of them or both.
  expect(await words(forgetting(7, undefined, 6))).toEqual({
    messages: { part: 10, whole: 14 },
    requests: { part: 3, whole: 5 },
  });
  const one = forgetting(7, '- Never touch the\nlicence.', 6);
  expect((await words(one)).messages).toEqual({ part: 12, whole: 14 });
  expect(await words(forgetting(7, '- Never touch the\nlicence.\n- Be quick.', 6))).toEqual(all);
});

test('a summary that quotes a message no more is not taken for the one before it', async () => {
  const log = logBuilder();
  for (const words of ['Mend it.', 'Never touch the licence.', 'Be quick.']) {
    log.user(words);
    log.agent('Done.');
  }
  log.user('Go on.');
  log.call('think', {}, 'hm');
  log.agent('Done.');
  const summaries = ['- Never touch the licence.', '- Something was said.'];
  const twice: Condenser = {
    name: 'twice',
    condense: (view) => {
      const summary = summaries[view.condensations.length];
      return view.events.length === 7 && summary !== undefined
        ? condensation({ view, start: 1, end: 4, summary })
        : view;
    },
  };
  // At the last call the second message is quoted no more, and the third is gone.
  expect((await looked(log.events, twice)).userWords.messages).toEqual({ part: 12, whole: 14 });
});

/** Reads a file of so many lines, and other calls later the lines from one on, with new ones behind them. */
function readAgain(from: number, added: number, argument: object = {}) {
  const lines = Array.from({ length: 6 }, (_, line) => `this is line number ${line}`);
  const log = logBuilder();
  log.user('Mend it.');
  log.call('read', {}, lines.join('\n'));
  for (let step = 0; step < 3; step++) log.call('think', { step }, 'hm');
  const others = Array.from({ length: added }, (_, line) => `that is another line, ${line}`);
  log.call('show', { ...argument }, [...lines.slice(from), ...others].join('\n'));
  return log.events;
}

test('a result looks like a re-read if most of its lines come back from a hidden one', async () => {
  const calls = async (events: readonly Event[], condenser = forgetting(7)) =>
    (await looked(events, condenser)).falseRereads;
  expect(await calls(readAgain(0, 0))).toEqual({ part: 1, whole: 5 });
  expect((await calls(readAgain(3, 3))).part).toBe(1);
  expect((await calls(readAgain(3, 4))).part).toBe(0);
  expect((await calls(readAgain(4, 0))).part).toBe(0);
  // In view, in a summary, or of a call that writes.
  expect((await calls(readAgain(0, 0), keeping)).part).toBe(0);
  const summary = 'this is line number 2\nthis is line number 3\nthis is line number 4\nthis is line number 5';
  expect((await calls(readAgain(0, 0), forgetting(7, summary))).part).toBe(0);
  expect((await calls(readAgain(0, 0, { content: 'x' }))).part).toBe(0);
});
