import { pricedCondenser } from '@palimpsest/condensers';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { describe, expect, it } from 'vitest';
import { anthropicHistory } from '../test-support/anthropic-loop.js';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import { responsesHistory } from '../test-support/responses-loop.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import type { Codec, FitOptions } from './index.js';

/** A condenser that only says what it takes a request for. */
function scale(): Condenser & { readonly sizes: number[] } {
  const sizes: number[] = [];
  const condense = (view: View, { fixedTokens = 0 }: Pick<CondenseContext, 'fixedTokens'> = {}) => {
    sizes.push(view.tokens() + fixedTokens);
    return view;
  };
  return { name: 'scale', sizes, condense };
}

const texts = {
  English: 'Read the files of the project, run its tests, and say what you have changed. ',
  Chinese: '请阅读项目中的所有文件，运行测试，然后说明你修改了什么。',
} as const;

const toolsIn = (text: string) =>
  Array.from({ length: 100 }, (_, index) => ({ name: `tool_${index}`, description: text.repeat(6) }));

const codecs: readonly [string, Codec<never>, readonly { readonly role?: string }[]][] = [
  ['chat', chatMessages() as unknown as Codec<never>, chatHistory(3).slice(1)],
  ['anthropic', anthropicMessages() as unknown as Codec<never>, anthropicHistory(3)],
  ['responses', responsesItems() as unknown as Codec<never>, responsesHistory(3) as { role?: string }[]],
];

describe.each(codecs)('%s', (_, codec, list) => {
  it.each(Object.entries(texts))(
    'instructions and tools in %s weigh what they weigh in a message, once',
    async (_language, text) => {
      for (const model of [undefined, 'claude-opus-5-5', 'gpt-4o']) {
        const [system, tools] = [text.repeat(400), toolsIn(text)];
        const size = async (messages: readonly object[], options: FitOptions) => {
          const condenser = scale();
          await condensedHistory({ condenser, codec, model }).fit(messages as never[], options);
          return condenser.sizes[0] ?? 0;
        };
        const beside = await size(list, { system, tools });
        const words = [system, JSON.stringify(tools)].map((content) => ({ role: 'user', content }));
        const within = await size([...words, ...list], {});
        expect(beside).toBe(within);
      }
    },
  );
});

it.each<[string, Codec<never>, object]>([
  [
    'anthropic',
    anthropicMessages() as unknown as Codec<never>,
    { role: 'assistant', content: [{ type: 'compaction', content: 'A summary.' }] },
  ],
  [
    'responses',
    responsesItems() as unknown as Codec<never>,
    { type: 'compaction', encrypted_content: 'x'.repeat(800) },
  ],
])('%s: what a compaction of the provider has replaced weighs nothing', async (_, codec, compaction) => {
  const condenser = scale();
  const history = condensedHistory({ condenser, codec });
  const list: object[] = [
    { role: 'user', content: 'Begin.' },
    { role: 'user', content: 'word '.repeat(4_000) },
  ];
  const system = 'You are careful.';
  await history.fit(list as never[], { system });
  list.push(compaction);
  const { messages, tokensBefore } = await history.fit(list as never[], { system });
  list.push({ role: 'user', content: 'Go on.' });
  await history.fit(list as never[], { system });
  const [before, ...after] = condenser.sizes;
  expect(messages).toEqual(list.slice(0, 3));
  expect(before).toBeGreaterThan(3_900);
  expect(Math.max(...after)).toBeLessThan(200);
  expect(tokensBefore).toBe(after[0]);
});

describe('a conversation condenses no earlier and no deeper for what stands beside its messages', () => {
  const words = texts.English.repeat(900);
  const tools = toolsIn(texts.English);

  /** The steps at which it condenses, of 70. */
  async function condensationsOf(contextWindow: number, options: FitOptions, first?: string) {
    const history = condensedHistory({ condenser: pricedCondenser(), codec: chatMessages(), contextWindow });
    const list = chatHistory(1);
    list.splice(0, 1, ...(first === undefined ? [] : [{ role: 'user' as const, content: first }]));
    const made: number[] = [];
    for (let step = 1; step < 70; step++) {
      addChatStep(list, step, 500);
      if ((await history.fit(list, options)).condensations.length > 0) made.push(step);
    }
    return made;
  }

  it.each<[string, number, FitOptions, string]>([
    ['instructions that fill half of the window', 32_000, { system: words }, words],
    ['a hundred tools', 200_000, { tools }, JSON.stringify(tools)],
  ])('%s', async (_, contextWindow, options, text) => {
    const beside = await condensationsOf(contextWindow, options);
    expect(beside.length).toBeGreaterThan(0);
    expect(beside).toEqual(await condensationsOf(contextWindow, {}, text));
  });
});
