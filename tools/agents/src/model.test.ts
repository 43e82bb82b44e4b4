import { expect, it, onTestFinished } from 'vitest';
import type { Body, Message } from './exchange.js';
import { askerOf, errandPrompt, scriptedModel } from './model.js';
import { keyOf, middleOf, partName, taskMark } from './place.js';

const tools = [{ name: 'read', input_schema: { properties: {} } }];
const says = (...words: readonly string[]): Message => ({
  role: 'user',
  content: words.map((text) => ({ type: 'text', text })),
});

it.each<[string, Body, string]>([
  ['the main agent', { tools, messages: [says('A reminder.', `${taskMark}: find it.`)] }, 'main'],
  ['a sub-agent', { tools, messages: [says(errandPrompt(7))] }, 'errand'],
  [
    'a main agent that has sent a sub-agent',
    { tools, messages: [says(`${taskMark}: find it.`), says('ERRAND-7')] },
    'main',
  ],
  ['a maker of titles', { messages: [says('Generate a title for this conversation:')] }, 'other'],
  [
    'a summariser',
    { tools, messages: [says(taskMark), says('Create a detailed summary of the conversation.')] },
    'summariser',
  ],
])('knows %s', (_what, body, asker) => expect(askerOf(body)).toBe(asker));

it('reads again what it needs and does not see, once', async () => {
  const model = await scriptedModel({
    need: 'exact',
    callOf: (act) => ({ name: 'read', input: act }),
  });
  onTestFinished(() => model.server.close());
  model.begin([
    { acts: [{ act: 'read', file: 'b' }], needs: 4 },
    { acts: [{ act: 'read', file: 'c' }], needs: 5 },
    { acts: [{ act: 'read', file: 'd' }], needs: 5, needsMiddle: true },
  ]);
  const ask = async (...words: readonly string[]) => {
    const body = {
      model: 'claude-haiku-4-5',
      max_tokens: 500,
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
    };
    const response = await fetch(`${model.server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({
        ...body,
        thinking: { type: 'enabled', budget_tokens: 1_024 },
        max_tokens: 2_000,
        messages: [says(taskMark, ...words)],
      }),
    });
    const { content } = (await response.json()) as {
      readonly content: readonly { readonly input?: { readonly file?: string } }[];
    };
    return content.flatMap(({ input }) => input?.file ?? []);
  };
  expect(await ask()).toEqual([partName(4)]);
  expect(await ask(keyOf(4))).toEqual(['b']);
  expect(await ask(keyOf(5))).toEqual(['c']);
  expect(await ask(keyOf(5))).toEqual([partName(5)]);
  expect(await ask(keyOf(5), middleOf(5).name)).toEqual(['d']);
  expect([model.looks, model.lost, model.stepsDone, model.hasStepsLeft]).toEqual([2, 0, 3, false]);
});
