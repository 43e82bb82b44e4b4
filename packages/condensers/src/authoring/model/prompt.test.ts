import { logBuilder } from '@palimpsest/events/testing';
import { loadTemplate, parseTemplate, templatesFrom } from '@palimpsest/templates';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../definition/errors.js';
import { cutInMiddle, eventText, textLimits } from './event-text.js';
import { promptOf, promptWithin } from './prompt.js';
import type { PromptValues } from './prompt.js';
import { summaryTemplate } from './summary.prompt.js';

const values: PromptValues = {
  previousSummary: 'before',
  facts: '',
  userWords: 'Fix it.',
  events: [
    { number: 1, id: 'a', type: 'message', text: 'agent: {{ events }} <b>&</b>' },
    { number: 2, id: 'b', type: 'observation', text: 'result of ls: x' },
  ],
  leftOut: 3,
  maxSummaryTokens: 400,
};

test('a template is rendered with the documented names; what stands in an event is not', () => {
  const write = promptOf(
    'x',
    '{% for event in events %}{{ event.number }} {{ event.id }} {{ event.type }} {{ event.text }}\n{% endfor %}' +
      '{{ previous_summary }}|{{ user_words }}|{{ left_out }}|{{ max_summary_tokens }}|{{ max_words }}',
  );
  expect(write(values)).toBe(
    '1 a message agent: {{ events }} <b>&</b>\n2 b observation result of ls: x\nbefore|Fix it.|3|400|300',
  );
});

test('Jinja statements work: set, if, filters, tests, loop variables', () => {
  const write = promptOf(
    'x',
    `{% set many = events | length %}{% if previous_summary is defined and many > 1 %}{{ many }}{% endif %}` +
      `{% for e in events %}{{ loop.index }}{{ e['id'] | upper }}{% endfor %}`,
  );
  expect(write(values)).toBe('21A2B');
});

test('names that there may be are asked for, filters take arguments', () => {
  const write = promptOf('x', `{{ events | length }}{{ extra | default('-') }}{% if extra is defined %}!{% endif %}`);
  expect(write(values)).toBe('2-');
});

test('a template that is loaded brings what it includes', async () => {
  const source = templatesFrom({
    'main.j2': "{% include 'rules.j2' %}: {{ transcript }}",
    'rules.j2': '{{ max_words }} words',
  });
  expect(promptOf('x', await loadTemplate(source, 'main.j2'))(values)).toMatch(/^300 words: <event/);
  expect(() => promptOf('x', parseTemplate('{{ nothing }}'))).toThrow('uses nothing');
});

test('a template that fails while it is rendered is an error of its line', () => {
  const write = promptOf('x', '{{ transcript }}\n{{ transcript | nothing }}');
  expect(() => write(values)).toThrow(/'prompt', line 2, cannot be rendered: .*nothing/);
});

test('the transcript holds all events in their tags', () => {
  expect(promptOf('x', 'Read: {{ transcript }}')(values)).toBe(
    'Read: <event number="1" type="message">\nagent: {{ events }} <b>&</b>\n</event>\n' +
      '<event number="2" type="observation">\nresult of ls: x\n</event>',
  );
});

test('a function is used as it is', () => {
  const own = ({ events }: PromptValues) => `${events.length} events`;
  expect(promptOf('x', own)(values)).toBe('2 events');
  const none = (() => undefined) as unknown as (values: PromptValues) => string;
  expect(() => promptOf('x', none)(values)).toThrow(/'prompt' must return a text, not undefined/);
});

describe('a template that cannot be used is refused when the condenser is made', () => {
  test.each([
    { template: '{% for event in events %}', says: 'is not a Jinja template: it ends inside of a block' },
    { template: 'Summarise.', says: 'shows neither `events` nor `transcript`' },
    {
      template: '{{ events }} {{ previousSummary }}',
      says: 'uses previousSummary (line 1); there are previous_summary',
    },
    { template: '{% for e in events %}{{ e.content }}{% endfor %}', says: 'uses e.content' },
    { template: '{{ events }}\n{{ evnets }}', says: 'uses evnets (line 2)' },
    { template: "{{ events }}{% include 'rules.j2' %}", says: "'rules.j2' does not exist" },
    {
      template: '{{ events }}\n\n{% nothing %}',
      says: 'is not a Jinja template: line 3: Unknown statement type: nothing',
    },
  ])('$template', ({ template, says }) => {
    expect(() => promptOf('llmSummarizing', template)).toThrow(InvalidCondenserConfigError);
    expect(() => promptOf('llmSummarizing', template)).toThrow(says);
  });
});

describe('our own template', () => {
  const text = promptOf('x', summaryTemplate)(values);

  test('asks for everything that a summary must keep', () => {
    for (const heading of [
      'USER_CONTEXT',
      'TASK_TRACKING',
      'COMPLETED',
      'PENDING',
      'CURRENT_STATE',
      'FAILED_ATTEMPTS',
      'IDENTIFIERS',
      'CODE_STATE',
      'TESTS',
      'CHANGES',
      'DEPENDENCIES',
      'VERSION_CONTROL_STATUS',
    ])
      expect(text).toContain(`\n${heading}: `);
    expect(text).toContain('at most 300 words');
  });

  test('shows what it is given, each part in its tags', () => {
    expect(text).toContain('<previous_summary>\nbefore\n</previous_summary>');
    expect(text).toContain('<user_words>\nFix it.\n</user_words>');
    expect(text).toContain('<event number="2" type="observation">\nresult of ls: x\n</event>');
    expect(text).toContain('The oldest 3 events are not shown');
  });

  test('says nothing of what there is not', () => {
    const bare = promptOf('x', summaryTemplate)({ ...values, previousSummary: '', userWords: '', leftOut: 0 });
    expect(bare).not.toContain('<previous_summary>\n');
    expect(bare).not.toContain('<user_words>\n');
    expect(bare).not.toContain('are not shown');
  });
});

const frame = 80;

function eventsWith(lengths: readonly number[]) {
  const log = logBuilder();
  for (const [index, length] of lengths.entries()) log.user(`${index} `.padEnd(length + 4, 'word '));
  return log.events.filter((event) => event.type === 'message');
}

test('what is left out and how long the rest may be is decided as if all texts had been read', () => {
  const cases = {
    lengths: fc.array(fc.oneof(fc.nat(60), fc.nat(3_000)), { minLength: 1, maxLength: 300 }),
    contextWindow: fc.integer({ min: 100, max: 20_000 }),
    maxEventCharacters: fc.integer({ min: 1, max: 2_000 }),
    inputScale: fc.constantFrom(1, 0.5, 0.25),
  };
  const seen = { whole: 0, cut: 0, leftOut: 0, none: 0 };
  fc.assert(
    fc.property(fc.record(cases), ({ lengths, contextWindow, maxEventCharacters, inputScale }) => {
      const events = eventsWith(lengths);
      const longest = maxEventCharacters + frame;
      const texts = events.map(eventText);
      const framed = texts.map((text) => text.length + frame);
      const window = Math.floor((contextWindow * 0.9 - 64) * 4);
      const wanted = framed.reduce((sum, length) => sum + Math.min(length, longest), 0);
      const room = Math.floor(Math.min(window - 2 * frame, wanted) * inputScale);
      const { leftOut, limits } = textLimits(framed, { room, longest });
      const expected = events.flatMap(({ id, type }, index) =>
        index < leftOut
          ? []
          : [{ number: index + 1, id, type, text: cutInMiddle(texts[index] ?? '', (limits[index] ?? frame) - frame) }],
      );
      let shown: PromptValues | undefined;
      // Its own text has no length, so that the events have all of the room.
      const write = promptOf('x', (values) => {
        if (values.events.length > 0) shown = values;
        return values.events.length > 0 ? 'x' : '';
      });
      const input = { events, maxSummaryTokens: 64, inputScale };
      const ask = () => promptWithin(write, input, { contextWindow, maxOutputTokens: 64, maxEventCharacters });
      if (leftOut === events.length) {
        seen.none++;
        expect(ask).toThrow('has no room for an event');
        return;
      }
      ask();
      seen[leftOut > 0 ? 'leftOut' : room < wanted ? 'cut' : 'whole']++;
      expect(shown?.events).toEqual(expected);
      expect(shown?.leftOut).toBe(leftOut);
    }),
    { seed: 20_261_123, numRuns: 400 },
  );
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(5);
});

test('the text of an event that is left out in any case is not made', () => {
  const [first, ...rest] = eventsWith(Array.from({ length: 100 }, () => 500));
  const unread = new Proxy(first ?? ({} as never), {
    get: (event, key) => {
      if (key === 'content') throw new Error('read');
      return Reflect.get(event, key) as unknown;
    },
  });
  const write = promptOf('x', ({ events, leftOut }) => `${leftOut} ${events.length}`);
  const ask = (contextWindow: number) => () =>
    promptWithin(
      write,
      { events: [unread, ...rest], maxSummaryTokens: 64 },
      { contextWindow, maxOutputTokens: 64, maxEventCharacters: 2_000 },
    );
  expect(ask(1_000)()).toBe('74 26');
  expect(ask(100_000)).toThrow('read');
});
