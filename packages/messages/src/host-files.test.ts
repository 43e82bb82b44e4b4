import { noOpCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { describe, expect, it } from 'vitest';
import { addAnthropicStep } from '../test-support/anthropic-loop.js';
import { addChatStep } from '../test-support/chat-loop.js';
import { addResponsesStep } from '../test-support/responses-loop.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import type { Codec } from './index.js';
import { historyTools } from './tools/index.js';

const data = btoa('%PDF-1.7\n1 0 obj << /Type /Pages /Count 12 >> endobj\n');
const url = `data:application/pdf;base64,${data}`;
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const pixelUrl = `data:image/png;base64,${pixel}`;

/**
 * The forms in which a host of each API holds a call, a result, an image in a result, and a file in it or in a message of the
 * user.
 */
interface Host {
  readonly codec: Codec<never>;
  readonly file: object;
  readonly image: object;
  call(id: string, name: string, input: object): object;
  result(id: string, content: unknown): object;
  step(list: never[], step: number): void;
}

const hosts: Readonly<Record<string, Host>> = {
  chat: {
    codec: chatMessages() as unknown as Codec<never>,
    file: { type: 'file', file: { filename: 'plan.pdf', file_data: url } },
    image: { type: 'image_url', image_url: { url: pixelUrl } },
    call: (id, name, input) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    }),
    result: (id, content) => ({ role: 'tool', tool_call_id: id, content }),
    step: addChatStep,
  },
  anthropic: {
    codec: anthropicMessages() as unknown as Codec<never>,
    file: { type: 'document', title: 'plan.pdf', source: { type: 'base64', media_type: 'application/pdf', data } },
    image: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
    call: (id, name, input) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] }),
    result: (id, content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
    step: addAnthropicStep,
  },
  responses: {
    codec: responsesItems() as unknown as Codec<never>,
    file: { type: 'input_file', filename: 'plan.pdf', file_data: url },
    image: { type: 'input_image', image_url: pixelUrl, detail: 'auto' },
    call: (id, name, input) => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }),
    result: (id, output) => ({ type: 'function_call_output', call_id: id, output }),
    step: addResponsesStep,
  },
};

describe.each(Object.entries(hosts))('%s', (_, { codec, file, image, call, result, step }) => {
  const history = () =>
    condensedHistory({
      condenser: observationMaskingCondenser({ attentionWindow: 8 }),
      codec,
      historyTools: historyTools(),
    });
  const begun = () => [{ role: 'user', content: 'Read the plan.' }] as object[];
  const grown = (list: object[], steps: number) => {
    for (let index = 0; index < steps; index++) step(list as never[], index);
    return list;
  };

  it('a file in a result weighs its pages, and is masked by what it is and where it is', async () => {
    const list = [...begun(), call('c', 'read_plan', {}), result('c', [file])];
    const { tokensAfter } = await history().fit(list as never[]);
    expect(tokensAfter).toBeGreaterThan(30_000);
    expect(tokensAfter).toBeLessThan(30_200);
    const { messages, tokensAfter: masked } = await history().fit(grown(list, 8) as never[]);
    expect(masked).toBeLessThan(5_000);
    expect(JSON.stringify(messages[2])).toMatch(
      /Old output of read_plan \(address \w+\) is hidden: .*plan\.pdf, a PDF of 12 pages/,
    );
    expect(JSON.stringify(messages)).not.toContain(data);
  });

  it('recall returns a file and an image as the host held them', async () => {
    for (const [part, words] of [
      [file, 'plan.pdf, a PDF of 12 pages'],
      [image, '1 image'],
    ] as const) {
      // prettier-ignore
      const filler = '\n'.repeat(3) + 'word '.repeat(12_000);
      const text = { type: codec.name === 'responses' ? 'input_text' : 'text', text: filler };
      const list = grown(
        [...begun(), call('c', 'read_plan', {}), result('c', part === file ? [part] : [text, part])],
        8,
      );
      const one = history();
      const { messages } = await one.fit(list as never[]);
      const [, address] = /\(address (\w+)\)/.exec(JSON.stringify(messages[2])) ?? [];
      list.push(call('r', 'recall', { address }));
      const answer = await one.answerTo('r', list as never[]);
      expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(words) });
      expect(answer?.content).toEqual(expect.arrayContaining([part]));
      list.push(result('r', answer?.content));
      const { messages: sent, tokensAfter } = await one.fit(list as never[]);
      expect(sent.at(-1)).toBe(list.at(-1));
      expect(tokensAfter).toBeGreaterThan(part === file ? 30_000 : 1_000);
    }
  });

  it('twelve files in one batch are too much for the provider, and then as many stay as fit', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const long = JSON.parse(JSON.stringify(file).replaceAll(data, btoa('%PDF << /Type /Pages /Count 90 >>'))) as object;
    const calls = ids.map((id) => call(id, 'read_plan', {}));
    // In Chat Completions one message has all calls of an answer.
    const [first] = calls as { tool_calls?: object[] }[];
    const merged =
      first?.tool_calls === undefined
        ? calls
        : [{ ...first, tool_calls: calls.flatMap((one) => (one as { tool_calls: object[] }).tool_calls) }];
    const list = [...begun(), ...merged, ...ids.map((id) => result(id, [long]))];
    const one = condensedHistory({
      condenser: noOpCondenser(),
      codec,
      contextWindow: 1_000_000,
      maxOutputTokens: 1_000,
    });
    const fitted = await one.fit(list as never[]);
    // Nothing is cut on an estimate of files, also where one of them would fill the window.
    expect(fitted.messages).toEqual(list);
    const small = condensedHistory({ condenser: noOpCondenser(), codec, contextWindow: 200_000 });
    expect((await small.fit(list as never[])).messages).toEqual(list);
    const again = await one.afterError(
      { status: 400, error: { type: 'invalid_request_error', message: 'A maximum of 600 PDF pages may be provided.' } },
      fitted,
    );
    const left = again?.messages.filter((message) => JSON.stringify(message).includes('JVBER')) ?? [];
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(7);
    expect(again?.tokensAfter).toBeLessThan(600_000);
    expect(JSON.stringify(again?.messages)).toMatch(
      /plan\.pdf, a PDF of 90 pages (?:is left out here|\(address \w+\))/,
    );
  });

  it("a file in the user's words weighs the same", async () => {
    const words = { type: codec.name === 'responses' ? 'input_text' : 'text', text: 'This is the plan.' };
    const list = [{ role: 'user', content: [words, file] }, ...grown([], 4)];
    const { tokensBefore } = await condensedHistory({ condenser: noOpCondenser(), codec }).fit(list as never[]);
    expect(tokensBefore).toBeGreaterThan(30_000);
    expect(tokensBefore).toBeLessThan(32_000);
  });
});
