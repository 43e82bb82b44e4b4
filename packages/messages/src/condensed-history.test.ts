import { amortizedForgettingCondenser, extractiveSummaryCondenser, noOpCondenser } from '@palimpsest/condensers';
import { createEvent, memoryEventStore } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, it } from 'vitest';
import { addAnthropicStep, anthropicHistory } from '../test-support/anthropic-loop.js';
import { addChatStep, chatHistory } from '../test-support/chat-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import {
  anthropicMessages,
  chatMessages,
  condensedHistory,
  InvalidHistoryOptionsError,
  InvalidMessagesError,
  UnreadUsageError,
} from './index.js';
import { historyTools } from './tools/index.js';

const codec = chatMessages();

/** A condenser that counts how often it has condensed. */
function counted(condenser: Condenser): Condenser & { readonly made: () => number } {
  let made = 0;
  return {
    ...condenser,
    made: () => made,
    condense: async (view, context) => {
      const result = await condenser.condense(view, context);
      if ('forgottenEventIds' in result) made++;
      return result;
    },
  };
}

const summarising = () => counted(extractiveSummaryCondenser({ maxSize: 30, keepFirst: 2 }));

describe('fit', () => {
  it('leaves the list alone and passes what is untouched through by reference', async () => {
    const history = condensedHistory({ condenser: amortizedForgettingCondenser({ maxSize: 30 }), codec });
    const list = chatHistory(30);
    const before = structuredClone(list);
    const { messages, state, condensations, tokensBefore, tokensAfter } = await history.fit(list);
    expect(list).toEqual(before);
    expect(messages.every((message) => list.includes(message))).toBe(true);
    expect(messages.length).toBeLessThan(35);
    expect({ state, condensations: condensations.length }).toEqual({ state: 'condensed', condensations: 1 });
    expect(tokensAfter).toBeLessThan(tokensBefore / 1.5);
  });

  it('extends what it sent before while it does not condense, also where the host makes the list anew', async () => {
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec });
    const list = chatHistory(1);
    let last: readonly ChatMessage[] = [];
    let rewrites = 0;
    for (let step = 1; step < 70; step++) {
      addChatStep(list, step);
      const { messages, condensations } = await history.fit(structuredClone(list));
      const isRewritten = last.some((message, index) => JSON.stringify(message) !== JSON.stringify(messages[index]));
      expect(isRewritten).toBe(condensations.length > 0);
      if (isRewritten) rewrites++;
      last = messages;
    }
    expect(rewrites).toBe(condenser.made());
    expect(rewrites).toBeGreaterThan(2);
    expect(last.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('takes cache marks, the order of keys, parts of one text, null and ids of answers for no difference, and sends the newest', async () => {
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec });
    const list = chatHistory(30);
    await history.fit(list);
    const told = list.map((message) => {
      const entries = Object.entries(structuredClone(message)).reverse();
      const other = Object.fromEntries(entries.filter(([key, value]) => key !== 'content' || value !== null));
      if (typeof other['content'] === 'string') {
        other['content'] = [{ type: 'text', text: other['content'], cache_control: { type: 'ephemeral' } }];
      }
      return { ...other, id: 'msg_1', refusal: null } as unknown as ChatMessage;
    });
    const { messages, condensations } = await history.fit(told);
    expect(condensations).toEqual([]);
    expect(condenser.made()).toBe(1);
    expect(messages.filter((message) => told.includes(message))).toHaveLength(messages.length - 1);
  });

  it('sends copies with the marks that their messages have now, where the host moves them in place', async () => {
    const history = condensedHistory({
      condenser: noOpCondenser(),
      codec: anthropicMessages(),
      historyTools: historyTools({ relevance: true }),
    });
    const list = anthropicHistory(1);
    for (let step = 1; step < 8; step++) {
      const blocks = list.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
      for (const block of blocks) if ('cache_control' in block) delete block.cache_control;
      Object.assign(blocks.at(-1) ?? {}, { cache_control: { type: 'ephemeral' } });
      const { messages } = await history.fit(list);
      expect(messages.includes(list.at(-1) as (typeof list)[number])).toBe(false);
      expect(JSON.stringify(messages).split('cache_control')).toHaveLength(2);
      addAnthropicStep(list, step);
    }
  });

  it('condenses where tools hold what cannot be written as JSON', async () => {
    const schema: Record<string, unknown> = { limit: 10n };
    schema['self'] = schema;
    const history = condensedHistory({ condenser: summarising(), codec });
    const { condensations, problem } = await history.fit(chatHistory(30), { tools: [schema], system: 1n });
    expect(problem).toBeUndefined();
    expect(condensations).toHaveLength(1);
  });

  it.each([
    ['nothing', [], { outcome: 'unsettled' }, 3],
    ['unknown ids only', ['no-such-event'], { outcome: 'refused-invalid' }, 0],
  ])('sends the list as it is where a condenser condenses %s', async (_, forgottenEventIds, report, made) => {
    const condense = () => createEvent('condensation', { forgottenEventIds });
    const history = condensedHistory({ condenser: { name: 'empty', condense }, codec });
    const list = chatHistory(3);
    const { messages, state, condensations, reports, problem } = await history.fit(list);
    expect(messages).toEqual(list);
    expect({ state, made: condensations.length, problem }).toEqual({ state: 'untouched', made, problem: undefined });
    expect(reports).toMatchObject([report]);
  });

  it('notices a message that is changed in place', async () => {
    const history = condensedHistory({ condenser: summarising(), codec });
    const list = chatHistory(30);
    const { view } = await history.fit(list);
    expect(view.condensations).toHaveLength(1);
    (list[2] as { content: string }).content = 'Another step.';
    const edited = await history.fit(list);
    expect(edited.condensations).toHaveLength(1);
    expect(edited.view.events.at(2)?.id).not.toBe(view.events.at(2)?.id);
  });

  it('applies a condensation to each branch that begins with what it condensed', async () => {
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec });
    const list = chatHistory(30);
    await history.fit(list);
    for (const words of ['One way.', 'Another way.', 'One way.']) {
      const branch: ChatMessage[] = [...list, { role: 'assistant', content: words }, { role: 'user', content: 'And?' }];
      const { messages } = await history.fit(branch);
      expect(messages.length).toBeLessThan(25);
      expect(messages.at(-2)).toBe(branch.at(-2));
    }
    expect(condenser.made()).toBe(1);
    const { view } = await history.fit(list.slice(0, 20));
    expect(view.condensations).toEqual([]);
    // A list of the same length, with an edit in it: nothing that was condensed before holds.
    const edited = list.with(3, { role: 'tool', tool_call_id: 'call_0_0', content: 'Edited.' });
    expect((await history.fit(edited)).view.condensations).toHaveLength(1);
  });

  it('keeps two conversations apart, and fits them at once', async () => {
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec });
    const lists = [chatHistory(30), chatHistory(30, 50)];
    const fitted = await Promise.all(lists.map((list) => history.fit(list)));
    expect(condenser.made()).toBe(2);
    fitted.forEach(({ messages }, index) => {
      const own = lists[index] ?? [];
      expect(messages.filter((message) => own.includes(message)).length).toBe(messages.length - 1);
    });
    await Promise.all(lists.map((list) => history.fit(list)));
    expect(condenser.made()).toBe(2);
  });

  it('goes on after a restart with the same events and the same messages', async () => {
    const store = memoryEventStore();
    const list = chatHistory(30);
    const first = await condensedHistory({ condenser: summarising(), codec, store }).fit(list);
    const condenser = summarising();
    const restarted = condensedHistory({ condenser, codec, store });
    const second = await restarted.fit(JSON.parse(JSON.stringify(list)) as ChatMessage[]);
    expect(condenser.made()).toBe(0);
    expect(JSON.stringify(second.messages)).toBe(JSON.stringify(first.messages));
    expect([...second.view.events].map(({ id }) => id)).toEqual([...first.view.events].map(({ id }) => id));
  });

  it('sees what another process has done with the same store', async () => {
    const store = memoryEventStore();
    const condensers = [summarising(), summarising()] as const;
    const [one, other] = condensers.map((condenser) => condensedHistory({ condenser, codec, store }));
    const list = chatHistory(10);
    for (let step = 10; step < 60; step++) {
      addChatStep(list, step);
      const { messages } = (await (step % 7 < 3 ? one : other)?.fit([...list])) ?? {};
      const again = await (step % 7 < 3 ? other : one)?.fit([...list]);
      expect(JSON.stringify(again?.messages)).toBe(JSON.stringify(messages));
    }
    const alone = summarising();
    const history = condensedHistory({ condenser: alone, codec });
    for (let count = 1; count <= list.length; count++) {
      if (list[count]?.role !== 'tool' && count > 10) await history.fit(list.slice(0, count));
    }
    expect(condensers[0].made() + condensers[1].made()).toBe(alone.made());
    expect(alone.made()).toBeGreaterThan(3);
  });

  it('goes on without a condenser or a store that fail, and says so', async () => {
    const list = chatHistory(30);
    const failing: Condenser = { name: 'failing', condense: () => Promise.reject(new Error('no model')) };
    const { messages, problem } = await condensedHistory({ condenser: failing, codec }).fit(list);
    expect(messages).toEqual(list);
    expect(problem?.message).toBe('no model');

    let isBroken = true;
    const memory = memoryEventStore();
    const append: typeof memory.append = async (...given) => {
      if (isBroken) throw new Error('disk full');
      return memory.append(...given);
    };
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec, store: { ...memory, append } });
    const unstored = await history.fit(list);
    expect(unstored.problem?.message).toBe('disk full');
    expect(unstored.messages.length).toBeLessThan(25);
    isBroken = false;
    await history.fit(list);
    const restarted = await condensedHistory({ condenser, codec, store: memory }).fit(list);
    expect(restarted.messages).toEqual(unstored.messages);
    expect(condenser.made()).toBe(1);
  });

  it('ends with the reason of the signal, and with a clear error for what is no list', async () => {
    const history = condensedHistory({ condenser: noOpCondenser(), codec });
    const reason = new Error('stopped');
    await expect(history.fit([], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const wrong of [undefined, null, 'Hello.', { role: 'user' }]) {
      await expect(history.fit(wrong as never)).rejects.toThrow(InvalidMessagesError);
    }
    expect((await history.fit([])).messages).toEqual([]);
  });

  it('forgets the conversation that was not used for longest', async () => {
    const condenser = summarising();
    const history = condensedHistory({ condenser, codec, maxMemoryBytes: 150_000 });
    const lists = [chatHistory(30), chatHistory(30), chatHistory(30)];
    lists.forEach((list, index) => Object.assign(list[1] ?? {}, { content: `Conversation ${index}.` }));
    for (const list of lists) await history.fit(list);
    await history.fit(lists[2] ?? []);
    expect(condenser.made()).toBe(3);
    await history.fit(lists[0] ?? []);
    expect(condenser.made()).toBe(4);
  });

  it('calibrates its estimates by what the provider counts, before and after a restart', async () => {
    const store = memoryEventStore();
    const ratios: number[] = [];
    const condenser: Condenser = {
      name: 'watching',
      condense: (view) => {
        const usages = [...view.internalEvents].filter((event) => event.type === 'llm-usage');
        ratios.push(usages.length);
        return view;
      },
    };
    const list = chatHistory(30);
    for (let restart = 0; restart < 2; restart++) {
      const history = condensedHistory({ condenser, codec, model: 'gpt-4o', store });
      for (let step = 0; step < 3; step++) {
        const fitted = await history.fit(list);
        await history.used(
          { prompt_tokens: 9_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 8_000 } },
          fitted,
        );
        await history.used(undefined, fitted);
        addChatStep(list, 100 + restart * 10 + step);
      }
    }
    expect(ratios).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('says of a form of usage that is not known that it is not, once', async () => {
    const history = condensedHistory({ condenser: noOpCondenser(), codec });
    const list = chatHistory(3);
    const problems: unknown[] = [];
    for (let step = 0; step < 4; step++) {
      const fitted = await history.fit(list);
      problems.push(fitted.problem);
      await history.used({ inputTokens: undefined, inputTokenDetails: { cacheReadTokens: undefined } }, fitted);
      if (step > 0) await history.used({ tokens_in: 9, tokens_out: 1 }, fitted);
    }
    expect(problems).toEqual([undefined, undefined, expect.any(UnreadUsageError), undefined]);
    expect((problems[2] as UnreadUsageError).fields).toEqual(['tokens_in', 'tokens_out']);
  });

  it('sends the list as it is where a codec fails, and says so', async () => {
    const list = chatHistory(30);
    const fails = () => {
      throw new Error('broken codec');
    };
    for (const broken of [
      { ...codec, summary: fails },
      { ...codec, instructions: fails },
      { ...codec, read: fails },
    ]) {
      const { messages, state, problem } = await condensedHistory({ condenser: summarising(), codec: broken }).fit(
        list,
      );
      expect({ messages, state, problem: problem?.message }).toEqual({
        messages: list,
        state: 'untouched',
        problem: 'broken codec',
      });
    }
  });
});

describe('an option that does not exist is refused', () => {
  const condenser = noOpCondenser();
  it.each([
    [
      { estimateToken: () => 1 },
      'estimateToken',
      /^'estimateToken' is not an option of condensedHistory\. Did you mean 'estimateTokens'\? There are: condenser, codec, store, /,
    ],
    [{ max_output_tokens: 1 }, 'max_output_tokens', /Did you mean 'maxOutputTokens'\?/],
    [{ tokenizer: () => 1 }, 'tokenizer', /of condensedHistory\. There are: .*estimateTokens\.$/],
    [{ contextWindow: '4000' }, 'contextWindow', /^contextWindow has to be a number of tokens above 0, not '4000'\.$/],
    [{ maxOutputTokens: -1 }, 'maxOutputTokens', /above 0, not -1\.$/],
    [
      { condenser: { name: 'keepNewest', create: () => condenser } },
      'condenser',
      /It is a definition: pass what its create\(\) returns\.$/,
    ],
    [{ relevance: true }, 'relevance', /^'relevance' is not an option of condensedHistory\./],
    [{ historyTools: { relevance: true } }, 'historyTools', /^historyTools has to be what historyTools\(\) of /],
  ])('of a history: %j', (wrong, option, message) => {
    const make = () => condensedHistory({ condenser, codec, ...wrong } as never);
    expect(make).toThrow(InvalidHistoryOptionsError);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ option }));
  });

  it('of the tools of a history', () => {
    expect(() => historyTools({ relevance: { guardrail: {} } as never })).toThrow(
      /^'guardrail' is not an option of relevance\. Did you mean 'guardrails'\?/,
    );
    expect(() => historyTools({ recall: true } as never)).toThrow(/^'recall' is not an option of historyTools\./);
  });

  it.each([
    [
      { tool: [] },
      /^'tool' is not an option of fit\. Did you mean 'tools'\? There are: conversationId, model, system, /,
    ],
    [{ max_tokens: 100 }, /^'max_tokens' is not an option of fit\./],
    [{ model: { contextWindows: 1 } }, /^'contextWindows' is not an option of model\. Did you mean 'contextWindow'\?/],
  ])('of a fit: %j', async (wrong, message) => {
    const history = condensedHistory({ condenser, codec });
    const list = chatHistory(2);
    for (const call of [
      history.fit(list, wrong as never),
      history.answerTo('call', list, wrong as never),
      history.withOverflow(list, async () => 'sent', wrong as never),
    ]) {
      await expect(call).rejects.toThrow(InvalidHistoryOptionsError);
      await expect(call).rejects.toThrow(message);
    }
  });

  it('an option without a value is none', async () => {
    const history = condensedHistory({ condenser, codec, retries: undefined, store: undefined } as never);
    await expect(history.fit(chatHistory(2) as never[], { retries: undefined } as never)).resolves.toBeDefined();
  });
});

describe('a condenser or a codec that is none is refused at once', () => {
  const condenser = noOpCondenser();
  it.each([
    ['no condenser', { codec }, /^condenser has to be a condenser, .* not a value of type undefined\.$/],
    [
      'a condenser that was not called',
      { codec, condenser: noOpCondenser },
      /^condenser .* It is a function: call it\.$/,
    ],
    ['no codec', { condenser }, /^codec has to be a codec, .* not a value of type undefined\.$/],
    ['a codec that was not called', { condenser, codec: chatMessages }, /^codec .* It is a function: call it\.$/],
  ])('%s', (_, options, message) => {
    const make = () => condensedHistory(options as never);
    expect(make).toThrow(InvalidHistoryOptionsError);
    expect(make).toThrow(message);
  });
});
