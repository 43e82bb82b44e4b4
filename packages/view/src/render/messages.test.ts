import type { ToolResultEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { View } from '../index.js';
import type { RenderOptions } from '../index.js';
import { outline } from '../testing/outline.js';

const signed = [{ type: 'thinking', thinking: 'T', signature: 's' }] as const;
const messagesOf = (log: { readonly events: Parameters<typeof View.fromEvents>[0] }, options?: RenderOptions) =>
  View.fromEvents(log.events).toMessages(options);

describe('neighbouring user messages', () => {
  test('are merged, also with what the framework and a summary say', () => {
    const log = logBuilder();
    log.user('a');
    log.environment('b');
    log.summary('c');
    expect(messagesOf(log)).toEqual([
      { role: 'user', content: ['a', 'b', 'c'].map((text) => ({ type: 'text', text })) },
    ]);
  });

  test('stay apart where an assistant event stands between, sent or not', () => {
    const log = logBuilder();
    log.user('a');
    log.action('run');
    log.user('b');
    log.agent(' ');
    log.user('c');
    log.pause();
    log.user('d');
    expect(outline(messagesOf(log))).toEqual(['user: a', 'user: b', 'user: c d']);
  });
});

describe('halves of surrogate pairs', () => {
  const half = 'a \ud83d';
  const sound = 'a \ufffd';

  test('are rendered as U+FFFD in every text, name and argument, and stay in the log', () => {
    const log = logBuilder();
    log.system(half);
    log.user(half);
    const call = { id: '\ud83d', name: `run ${half}`, input: `{"${half}":"\\ud83d"}` };
    const action = log.action(call, { thought: [{ type: 'text', text: half }], reasoningContent: half });
    log.observation(action, half);
    const messages = messagesOf(log, { labelObservation: () => half });
    const [, , called, result] = messages;
    expect(messages.slice(0, 2).map(({ content }) => content)).toEqual([
      [{ type: 'text', text: sound }],
      [{ type: 'text', text: sound }],
    ]);
    expect(called).toMatchObject({
      content: [{ text: sound }],
      toolCalls: [{ name: `run ${sound}`, arguments: `{"${sound}":"\\ufffd"}` }],
      reasoningContent: sound,
    });
    expect(result).toMatchObject({ content: [{ text: `${sound}\n${sound}` }] });
    expect(JSON.stringify(log.events)).toContain('\\ud83d');
  });

  test('take the signed thinking of their response with them, and a message that has nothing else', () => {
    const log = logBuilder();
    const thinkingBlocks = [...signed, { type: 'redacted-thinking', data: '\ud83d' } as const];
    log.agent('Hm.', { thinkingBlocks });
    const alone = log.agent('', { thinkingBlocks });
    const view = View.fromEvents(log.events);
    expect(view.toMessages()).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] }]);
    expect([...view.leftOut.keys()]).toEqual([alone.id]);
  });
});

describe('content', () => {
  test('blank words are not sent', () => {
    const log = logBuilder();
    log.user([
      { type: 'text', text: ' \n' },
      { type: 'image', url: 'https://example.invalid/a.png' },
    ]);
    log.agent('');
    log.user('\t');
    const view = View.fromEvents(log.events);
    expect(outline(view.toMessages())).toEqual(['user: [image]']);
    expect([...view.leftOut.values()]).toEqual(['no content', 'no content']);
  });

  test('one system message, the one in force, first; its dynamic context last; none where it is blank', () => {
    const log = logBuilder();
    log.user('a');
    const old = log.system('old');
    log.system('new', { dynamicContext: 'today' });
    expect(outline(messagesOf(log))).toEqual(['system: new today', 'user: a']);
    expect(View.fromEvents(log.events).leftOut.get(old.id)).toBe('a newer system prompt is in force');
    log.system(' ');
    expect(outline(messagesOf(log))).toEqual(['user: a']);
  });

  test('rejections and errors are results that say so; an observation says so where it is marked', () => {
    const log = logBuilder();
    log.reject(log.action('a'), 'no');
    log.error(log.action('b'), 'no such tool');
    log.observation(log.action('c'), 'exit 1', { isError: true });
    log.observation(log.action('d'), '');
    expect(messagesOf(log).filter(({ role }) => role === 'tool')).toEqual([
      {
        role: 'tool',
        toolCallId: 'call-1',
        toolName: 'a',
        content: [{ type: 'text', text: 'Action rejected: no' }],
        isError: true,
      },
      {
        role: 'tool',
        toolCallId: 'call-2',
        toolName: 'b',
        content: [{ type: 'text', text: 'no such tool' }],
        isError: true,
      },
      { role: 'tool', toolCallId: 'call-3', toolName: 'c', content: [{ type: 'text', text: 'exit 1' }], isError: true },
      { role: 'tool', toolCallId: 'call-4', toolName: 'd', content: [] },
    ]);
  });

  test('results keep the order in which they came; thoughts stand before the calls', () => {
    const log = logBuilder();
    const { actions } = log.batch([{ name: 'a' }, { name: 'b' }], { thought: [{ type: 'text', text: 'Both.' }] });
    for (const action of [...actions].reverse()) log.observation(action, action.toolCall.name);
    expect(outline(messagesOf(log))).toEqual([
      'assistant: Both. (call-1) (call-2)',
      'tool call-2: b',
      'tool call-1: a',
    ]);
  });

  test('a redacted rejection and a redacted error read as the redaction alone; a blank one has no content', () => {
    const log = logBuilder();
    const rejection = log.reject(log.action('a'), 'no');
    const error = log.error(log.action('b'), 'crashed');
    log.condensation([], {
      redactions: [
        { eventId: rejection.id, text: 'R' },
        { eventId: error.id, text: ' ' },
      ],
    });
    expect(outline(messagesOf(log)).filter((line) => line.startsWith('tool'))).toEqual([
      'tool call-1: R',
      'tool call-2:',
    ]);
  });
});

describe('labels', () => {
  const labelObservation = ({ id }: ToolResultEvent) => (id === 'event-6' ? undefined : `[${id}]`);

  test('stand on the last line of a result, or in a part of their own, and stay when it is redacted', () => {
    const log = logBuilder();
    log.call('a', {}, 'text');
    log.call('b', {}, [{ type: 'image', url: 'https://example.invalid/a.png' }]);
    log.call('c', {}, 'unlabelled');
    log.call('d', {}, '');
    log.condensation([], { redactions: [{ eventId: 'event-2', text: 'X' }] });
    const contents = messagesOf(log, { labelObservation }).flatMap((message) =>
      message.role === 'tool' ? [message.content] : [],
    );
    expect(contents).toEqual([
      [{ type: 'text', text: 'X\n[event-2]' }],
      [
        { type: 'image', url: 'https://example.invalid/a.png' },
        { type: 'text', text: '[event-4]' },
      ],
      [{ type: 'text', text: 'unlabelled' }],
      [{ type: 'text', text: '[event-8]' }],
    ]);
  });

  test('stand on late results too', () => {
    const log = logBuilder();
    const action = log.action('a');
    log.agent('Meanwhile.');
    log.observation(action, 'late');
    expect(outline(messagesOf(log, { labelObservation })).at(-1)).toBe('tool call-1: late\n[event-3]');
  });
});

describe('thinking modes', () => {
  /** Thinking that is stale, and thinking that is not; each with a reasoning item and reasoning text. */
  function thinkingLog() {
    const log = logBuilder();
    const extra = { thinkingBlocks: signed, reasoningContent: 'hm', reasoningItems: [{ summary: [] }] };
    log.user('a');
    log.call('run', {}, '1', extra);
    log.condensation(['event-1'], { summary: 'S', summaryOffset: 0 });
    log.call('run', {}, '2', extra);
    log.agent('Done.', extra);
    return log;
  }
  const thinkingIn = (options: RenderOptions) =>
    messagesOf(thinkingLog(), options).flatMap((message) =>
      message.role === 'assistant'
        ? [
            [message.thinkingBlocks, message.reasoningContent, message.reasoningItems]
              .map((part) => (part === undefined ? '-' : '+'))
              .join(''),
          ]
        : [],
    );

  test.each([
    ['prefix-bound', ['-++', '+++', '+++']],
    ['latest-turn', ['+++', '+++', '+++']],
    ['none', ['---', '---', '---']],
  ] as const)('%s: only signed blocks are bound to what stands before them', (thinking, expected) => {
    expect(thinkingIn({ thinking })).toEqual(expected);
  });

  test('the mode of the view, where none is named', () => {
    const { events } = thinkingLog();
    const thinks = (messages: readonly unknown[]) => JSON.stringify(messages).split('"thinkingBlocks"').length - 1;
    expect(thinks(View.fromEvents(events).toMessages())).toBe(2);
    expect(thinks(View.fromEvents(events, { thinking: 'latest-turn' }).toMessages())).toBe(3);
    expect(thinks(View.fromEvents(events, { thinking: 'none' }).toMessages())).toBe(0);
  });

  test('thinking between calls keeps its place when a call before it is not sent', () => {
    const log = logBuilder();
    const place = { type: 'redacted-thinking', data: 'x' } as const;
    const { actions } = log.batch([{ name: 'a' }, { name: 'b' }, { name: 'c' }], {
      thought: [{ type: 'text', text: 'Three.' }],
      thinkingBlocks: [place, { ...place, position: 1 }, { ...place, position: 3 }],
      reasoningItems: [{ summary: [], position: 2 }],
    });
    for (const action of actions.slice(1)) log.observation(action, 'done');
    log.agent('Meanwhile.');
    const sent = (thinking: 'prefix-bound' | 'latest-turn') => {
      const message = messagesOf(log, { thinking })[0];
      if (message?.role !== 'assistant') throw new Error('the batch is sent first');
      expect(message.toolCalls).toHaveLength(2);
      expect(message.reasoningItems?.map(({ position }) => position)).toEqual([1]);
      return message.thinkingBlocks?.map(({ position }) => position);
    };
    expect(sent('latest-turn')).toEqual([undefined, 1, 2]);
    // The third block is bound to a call that is not sent.
    expect(sent('prefix-bound')).toEqual([undefined, 1]);
  });

  test('thinking without words is a message of its own, and none where the thinking is left out', () => {
    const log = logBuilder();
    log.user('a');
    log.agent([], { thinkingBlocks: signed });
    log.agent([], { thinkingBlocks: [] });
    expect(outline(messagesOf(log))).toEqual(['user: a', 'assistant: T']);
    expect(outline(messagesOf(log, { thinking: 'none' }))).toEqual(['user: a']);
    expect([...View.fromEvents(log.events).leftOut.keys()]).toEqual(['event-3']);
  });
});
