import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { memoryEventStore } from '@palimpsest/events';
import { openaiServer, serve } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import type { createAnthropic } from '@ai-sdk/anthropic';
import type { createOpenAI } from '@ai-sdk/openai';
import type * as AiSdk from 'ai';
import type { LanguageModel, LanguageModelMiddleware, ModelMessage, UIMessage } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import type * as Ours from '../src/index.js';
import type { AiMessage, CondensingOptions } from '../src/index.js';
import type { Step } from '../src/step-messages.js';
import { rewritesIn, scriptedModel, sentTo } from './scripted-model.js';
import type { Api, Script } from './scripted-model.js';

/** An installed version of the AI SDK, and this package, from its sources or as it is built. */
export interface Sdk {
  readonly ours: Pick<typeof Ours, 'condensing' | 'condensingMiddleware'>;
  readonly ai: typeof AiSdk;
  readonly createOpenAI: typeof createOpenAI;
  readonly createAnthropic: typeof createAnthropic;
}

type Prepare = <Message extends AiMessage>(step: Step<Message>) => Promise<{ messages: Message[] }>;
type Condenser = CondensingOptions['condenser'];
type Fits = Parameters<NonNullable<CondensingOptions['onFit']>>[0][];

/** `npm test` runs loops of half the length, which keep half as much and condense as often; CI's thorough run has them whole. */
const share = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 0.5;
const loopSteps = 44 * share;

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const question = (text = 'Read all the files, and look at the screen.'): ModelMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'file', data: pixel, mediaType: 'image/png' },
  ],
});

/** Registers the tests of this package against a version of the AI SDK: the real one, over HTTP. */
export function aiSdkSuite(name: string, { ours, ai, createOpenAI, createAnthropic }: Sdk): void {
  const { condensing, condensingMiddleware } = ours;
  const { generateText, jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent, wrapLanguageModel } = ai;
  const servers: ProviderServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function started(api: Api, modelName: string, script: Script) {
    const server = await scriptedModel(api, script);
    servers.push(server);
    const openai = createOpenAI({ baseURL: server.baseURL, apiKey: 'key' });
    const model =
      api === 'anthropic'
        ? createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'key' })(modelName)
        : api === 'chat'
          ? openai.chat(modelName)
          : openai.responses(modelName);
    return { server, model };
  }

  const providerOptions = (modelName: string) => ({
    openai: { store: false, include: ['reasoning.encrypted_content' as const] },
    ...(/claude.*[45]-[1-9]$/.test(modelName) && {
      anthropic: {
        thinking: modelName.includes('4-5')
          ? { type: 'enabled' as const, budgetTokens: 1_024 }
          : { type: 'adaptive' as const },
      },
    }),
  });

  const tools = {
    read: tool({
      description: 'Reads a file.',
      inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
      execute: ({ path }) => {
        if (path.startsWith('missing/')) throw new Error(`No file ${path}.`);
        return `Content of ${path}: ${'word '.repeat(120)}`;
      },
    }),
    screenshot: tool({
      description: 'Shows the screen.',
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      execute: () => pixel,
      toModelOutput: () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'The screen.' },
          { type: 'image-data', data: pixel, mediaType: 'image/png' },
        ],
      }),
    }),
  };

  const condenser = (maxSize = 24 * share) => extractiveSummaryCondenser({ maxSize, keepFirst: 2 });
  const settings = (model: LanguageModel, modelName: string, steps = 200) => ({
    model,
    tools,
    stopWhen: stepCountIs(steps),
    maxRetries: 0,
    instructions: 'You are a careful agent.',
    system: 'You are a careful agent.',
    providerOptions: providerOptions(modelName),
    onError: ({ error }: { error: unknown }) => {
      throw error;
    },
  });

  /** Checks at each step what a host relies on: its own list is as it was, and what is untouched is its own object. */
  const watched =
    (prepareStep: Prepare, mayCopy = false): Prepare =>
    async <Message extends AiMessage>(step: Step<Message>) => {
      const before = structuredClone(step.messages);
      const result = await prepareStep(step);
      expect(step.messages).toEqual(before);
      const own = new Set<AiMessage>([
        ...step.messages,
        ...(step.initialMessages ?? []),
        ...(step.responseMessages ?? []),
      ]);
      const copies = result.messages.filter((message) => !own.has(message));
      if (!mayCopy) expect(copies.length).toBeLessThanOrEqual(1);
      return result;
    };

  const condensations = (fits: Fits) =>
    fits.flatMap(({ condensations: made }, index) => (made.length > 0 ? [index] : []));

  /** Returns what a run has added to the host's messages. In `ai` 7 the response of a run is that of its last step. */
  const addedBy = (result: { readonly response: { readonly messages: readonly ModelMessage[] } }) =>
    (result as { readonly responseMessages?: readonly ModelMessage[] }).responseMessages ?? result.response.messages;

  const answerCount = (messages: readonly ModelMessage[]) => messages.filter(({ role }) => role === 'assistant').length;

  /** A condenser that reads what providers have counted, up to the request that it is asked for. */
  function usageWatcher() {
    let sent: readonly number[] = [];
    const watching: Condenser = {
      name: 'watching',
      condense: (view) => {
        sent = [...view.internalEvents].flatMap((event) =>
          event.type === 'llm-usage'
            ? [event.usage.uncachedInputTokens + event.usage.cacheReadTokens + event.usage.cacheWriteTokens]
            : [],
        );
        return view;
      },
    };
    return { condenser: watching, usages: () => sent };
  }

  describe(`${name}: prepareStep`, () => {
    it.each<[Api, string]>([
      ['chat', 'gpt-4o'],
      ['responses', 'gpt-5'],
      ['anthropic', 'claude-haiku-4-5'],
    ])('%s, %s: what the provider counts is recorded', async (api, modelName) => {
      const { model } = await started(api, modelName, { steps: 4 });
      const { condenser: watching, usages } = usageWatcher();
      const fits: Fits = [];
      const prepareStep = condensing({ condenser: watching, onFit: (fitted) => void fits.push(fitted) });
      // Also where nothing is known of the provider's own form.
      const silent: LanguageModelMiddleware = {
        specificationVersion: 'v3',
        wrapGenerate: async ({ doGenerate }) => {
          const result = await doGenerate();
          return { ...result, usage: { ...result.usage, raw: {} } };
        },
      };
      const wrapped = wrapLanguageModel({ model, middleware: silent });
      await generateText({ ...settings(wrapped, ''), messages: [question()], prepareStep });
      expect(usages().map((sent) => sent > 100)).toEqual([true, true, true]);
      expect(fits.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined, undefined]);
    });

    it.each<[Api, string, 'generateText' | 'streamText' | 'ToolLoopAgent']>([
      ['chat', 'gpt-4o', 'generateText'],
      ['chat', 'gpt-4o', 'streamText'],
      ['responses', 'gpt-5', 'generateText'],
      ['responses', 'gpt-5', 'ToolLoopAgent'],
      ['anthropic', 'claude-opus-5-5', 'generateText'],
      ['anthropic', 'claude-opus-5-5', 'streamText'],
      ['anthropic', 'claude-haiku-4-5', 'ToolLoopAgent'],
    ])(
      '%s, %s: a long loop with %s is never refused, and rewritten only by condensations',
      async (api, modelName, how) => {
        const { server, model } = await started(api, modelName, {
          steps: loopSteps,
          thinks: modelName !== 'gpt-4o' && modelName !== 'claude-haiku-4-5',
        });
        const fits: Fits = [];
        const prepareStep = watched(
          condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) }),
          modelName === 'claude-opus-5-5',
        );
        const messages = [question()];
        const before = structuredClone(messages);
        const options = { ...settings(model, modelName === 'claude-haiku-4-5' ? '' : modelName), prepareStep };
        let steps: readonly unknown[];
        let text: string;
        if (how === 'generateText') ({ steps, text } = await generateText({ ...options, messages }));
        else if (how === 'ToolLoopAgent') ({ steps, text } = await new ToolLoopAgent(options).generate({ messages }));
        else {
          const result = streamText({ ...options, messages });
          [steps, text] = [await result.steps, await result.text];
        }
        expect(text).toBe(`Answer ${loopSteps - 1}.`);
        expect(steps).toHaveLength(loopSteps);
        expect(server.requests).toHaveLength(loopSteps);
        expect(messages).toEqual(before);
        expect(fits.every(({ problem }) => problem === undefined)).toBe(true);
        expect(condensations(fits).length).toBeGreaterThan(3);
        expect(rewritesIn(sentTo(server))).toEqual(condensations(fits));
        const longest = Math.max(...fits.map((fitted) => fitted.messages.length));
        expect(longest).toBeLessThan(40 * share);
      },
    );

    it.each<[Api, string]>([
      ['chat', 'gpt-4o'],
      ['responses', 'gpt-5'],
      ['anthropic', 'claude-haiku-4-5'],
    ])(
      '%s: the newest of two results of a call is sent, with a call of its own once the first was read',
      async (api, name) => {
        const { server, model } = await started(api, name, { steps: 1 });
        const job = { toolCallId: 'job', toolName: 'read' };
        const result = (value: string): ModelMessage => ({
          role: 'tool',
          content: [{ type: 'tool-result', ...job, output: { type: 'text', value } }],
        });
        const call = (...words: string[]): ModelMessage => ({
          role: 'assistant',
          content: [
            ...words.map((text) => ({ type: 'text' as const, text })),
            { type: 'tool-call', ...job, input: { path: 'job' } },
          ],
        });
        const messages = [question(), call('I start it.'), result('It runs.'), result('Half of it runs.')];
        messages.push({ role: 'assistant', content: 'I wait.' }, result('Nearly.'), result('It is done.'));
        const prepareStep = condensing({ condenser: condenser() });
        await generateText({ ...settings(model, ''), messages, prepareStep });
        const sent = JSON.stringify(sentTo(server));
        for (const text of ['Half of it runs.', 'I wait.', 'It is done.']) expect(sent).toContain(text);
        for (const text of ['It runs.', 'Nearly.']) expect(sent).not.toContain(text);
        expect(sent.split('I start it.')).toHaveLength(2);
      },
    );

    it('returns the whole loop to the host', async () => {
      const { model } = await started('chat', 'gpt-4o', { steps: loopSteps });
      const result = await generateText({
        ...settings(model, 'gpt-4o'),
        messages: [question()],
        prepareStep: condensing({ condenser: condenser() }),
      });
      const all = addedBy(result);
      expect(answerCount(all)).toBe(loopSteps);
      expect(all.filter(({ role }) => role === 'tool')).toHaveLength(loopSteps - 1);
    });

    it('goes on over the turns of a chat, with a manual thinking model, and never tears a tool loop', async () => {
      const { server, model } = await started('anthropic', 'claude-sonnet-4-5', { steps: 8, thinks: true });
      const fits: Fits = [];
      const prepareStep = watched(
        condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) }),
        true,
      );
      const messages: ModelMessage[] = [question()];
      for (let turn = 0; turn < 9; turn++) {
        messages.push(
          ...addedBy(
            await generateText({
              ...settings(model, 'claude-sonnet-4-5'),
              messages,
              prepareStep,
            }),
          ),
        );
        messages.push({ role: 'user', content: `Go on with part ${turn}.` });
      }
      expect(server.requests).toHaveLength(72);
      expect(condensations(fits).length).toBeGreaterThan(2);
    });

    it.each(['failing', 'evicted', 'restarted', 'stored'])(
      'a binding model does not refuse when the history is %s',
      async (how) => {
        const { server, model } = await started('anthropic', 'claude-opus-5-5', { steps: loopSteps, thinks: true });
        const store = how === 'stored' ? memoryEventStore() : undefined;
        const inner = condenser();
        let count = 0;
        const failing: typeof inner = {
          ...inner,
          condense: (view, context) => {
            if (how === 'failing' && count % 7 > 4) throw new Error('no model');
            return inner.condense(view, context);
          },
        };
        const make = () => condensing({ condenser: failing, store, maxMemoryBytes: 1 });
        let prepareStep = make();
        await generateText({
          ...settings(model, 'claude-opus-5-5'),
          messages: [question()],
          prepareStep: async (step) => {
            count++;
            if (count % (20 * share) === 20 * share - 1 && how === 'evicted')
              await prepareStep({ model, messages: [question(`Other ${count}.`)] });
            if (count % (20 * share) === 20 * share - 1 && (how === 'restarted' || how === 'stored'))
              prepareStep = make();
            return prepareStep(step);
          },
        });
        expect(server.requests).toHaveLength(loopSteps);
      },
    );

    it('a result larger than the window ends no loop: it is cut, and said', async () => {
      const { server, model } = await started('chat', 'gpt-4o', { steps: 4, contextWindow: 8_000 });
      const fits: Fits = [];
      const onFit = (fitted: Fits[number]) => void fits.push(fitted);
      const read = { ...tools.read, execute: () => 'word '.repeat(20_000) };
      const { text } = await generateText({
        ...settings(model, 'gpt-4o'),
        tools: { ...tools, read },
        messages: [question()],
        prepareStep: condensing({ condenser: condenser(), contextWindow: 8_000, onFit }),
      });
      expect(text).toBe('Answer 3.');
      expect(server.requests).toHaveLength(4);
      expect(fits.flatMap(({ reports }) => reports.map(({ outcome }) => outcome))).toContain('cut');
    });

    it('keeps two conversations apart that begin alike and run at once', async () => {
      const fits: Fits = [];
      const prepareStep = condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) });
      const runs = await Promise.all(
        ['one', 'two'].map(async (id) => {
          const { server, model } = await started('responses', 'gpt-5', { steps: 36 * share, name: id });
          await generateText({ ...settings(model, 'gpt-5'), messages: [question()], prepareStep });
          return { id, sent: sentTo(server) };
        }),
      );
      for (const { id, sent } of runs) {
        expect(sent).toHaveLength(36 * share);
        const other = id === 'one' ? 'two' : 'one';
        expect(JSON.stringify(sent)).not.toContain(`${other}_`);
        expect(JSON.stringify(sent)).toContain(`${id}_`);
      }
      const rewrites = runs.flatMap(({ sent }) => rewritesIn(sent));
      expect(rewrites).toHaveLength(condensations(fits).length);
    });

    it('applies what it condensed to branches, and not behind an edit', async () => {
      const { server, model } = await started('chat', 'gpt-4o', { steps: 40 });
      const fits: Fits = [];
      const prepareStep = watched(condensing({ condenser: condenser(24), onFit: (fitted) => void fits.push(fitted) }));
      const messages: ModelMessage[] = [question()];
      messages.push(...addedBy(await generateText({ ...settings(model, 'gpt-4o'), messages, prepareStep })));
      const made = condensations(fits).length;
      expect(made).toBeGreaterThan(1);
      for (const words of ['One way?', 'Another way?']) {
        const branch: ModelMessage[] = [...messages, { role: 'user', content: words }];
        const { messages: fitted } = await prepareStep({ model, messages: branch });
        expect(fitted.length).toBeLessThan(60);
        expect(fitted.at(-1)).toBe(branch.at(-1));
      }
      expect(condensations(fits)).toHaveLength(made);
      const edited: ModelMessage[] = [question('Read some of the files.'), ...messages.slice(1, 12)];
      const { messages: whole } = await prepareStep({ model, messages: edited });
      expect(whole).toEqual(edited);
      expect(server.requests).toHaveLength(40);
    });

    it('takes UIMessages that are converted anew at each turn for the same conversation', async () => {
      const { server, model } = await started('chat', 'gpt-4o', { steps: 1 });
      const fits: Fits = [];
      const prepareStep = condensing({
        condenser: extractiveSummaryCondenser({ maxSize: 12, keepFirst: 2 }),
        onFit: (fitted) => void fits.push(fitted),
      });
      const chat: UIMessage[] = [];
      for (let turn = 0; turn < 30; turn++) {
        chat.push({ id: `u${turn}`, role: 'user', parts: [{ type: 'text', text: `Question ${turn}?` }] });
        const kept = JSON.parse(JSON.stringify(chat)) as UIMessage[];
        const messages = await ai.convertToModelMessages(kept);
        const { text } = await generateText({ ...settings(model, 'gpt-4o'), messages, prepareStep });
        const part = {
          type: 'tool-read',
          toolCallId: `t${turn}`,
          state: 'output-available',
          input: {},
          output: 'Read.',
        };
        chat.push({
          id: `a${turn}`,
          role: 'assistant',
          parts: [{ type: 'step-start' }, part as never, { type: 'step-start' }, { type: 'text', text }],
        });
      }
      expect(condensations(fits).length).toBeGreaterThan(2);
      expect(rewritesIn(sentTo(server))).toEqual(condensations(fits));
    });

    it('lets the model recall what is hidden, and say what it no longer needs', async () => {
      const store = memoryEventStore();
      const prepareStep = condensing({ condenser: condenser(24), relevance: true, store, conversationId: 'one' });
      const server = await openaiServer({
        reply: ({ messages }, index) => {
          const label = /\[event_id: (\w+)\]/.exec(JSON.stringify(messages))?.[1] ?? 'none';
          const call =
            index === 50
              ? { name: 'recall', arguments: '{"query":"secret zebra"}' }
              : index === 10
                ? {
                    name: 'relevance_condenser',
                    arguments: JSON.stringify({ event_id: label, summary_text: 'Read it.' }),
                  }
                : {
                    name: 'read',
                    arguments: JSON.stringify({ path: index === 3 ? 'secret zebra' : `src/${index}.ts` }),
                  };
          const toolCall = { id: `call_${index}`, type: 'function', function: call };
          return { message: index === 52 ? { content: 'Done.' } : { content: null, tool_calls: [toolCall] } };
        },
      });
      servers.push(server);
      const model = createOpenAI({ baseURL: server.baseURL, apiKey: 'key' }).chat('gpt-4o');
      const { text } = await generateText({
        ...settings(model, ''),
        tools: { ...tools, ...prepareStep.tools },
        messages: [question()],
        prepareStep,
      });
      expect(text).toBe('Done.');
      const sent = sentTo(server);
      // Every result has its line from the first request on, so that no line is a rewrite.
      expect(rewritesIn(sent).filter((index) => index < 11)).toEqual([]);
      expect(sent[2]?.at(-1)).toContain('[event_id: ');
      expect(sent[11]?.join('')).toContain('Read it.');
      const recalled = sent[51]?.at(-1) ?? '';
      expect(JSON.parse(recalled)).toMatchObject({ role: 'tool', tool_call_id: 'call_50' });
      expect(recalled).toContain('Content of secret zebra');
      expect(sent[50]?.join('')).not.toContain('Content of secret zebra');
      const types: string[] = [];
      for await (const { type } of store.read('one')) types.push(type);
      expect(types.filter((type) => type === 'llm-usage').length).toBe(52);
    });

    it('sets marks for the cache again that stood on what is condensed', async () => {
      const { server, model } = await started('anthropic', 'claude-haiku-4-5', { steps: 60 * share });
      const marks = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };
      const prepareStep = condensing({ condenser: condenser() });
      await generateText({
        ...settings(model, ''),
        messages: [question()],
        prepareStep: (step: Step<ModelMessage>) => {
          const all =
            step.initialMessages === undefined
              ? step.messages
              : [...step.initialMessages, ...(step.responseMessages ?? [])];
          // A host's marks: on a message in the middle, and on the newest.
          const messages = all.map((message, index) =>
            index === 6 || index === all.length - 1 ? { ...message, providerOptions: marks } : message,
          ) as ModelMessage[];
          return prepareStep({ model, messages });
        },
      });
      expect(server.requests).toHaveLength(60 * share);
      const counts = server.requests.map(({ body }) => JSON.stringify(body).split('"cache_control"').length - 1);
      expect(counts.slice(6)).toEqual(counts.slice(6).map(() => 2));
    });

    it('keeps requests for approval with their answers', async () => {
      const { server, model } = await started('anthropic', 'claude-haiku-4-5', { steps: 200 });
      const fits: Fits = [];
      const prepareStep = watched(condensing({ condenser: condenser(), onFit: (fitted) => void fits.push(fitted) }));
      const messages: ModelMessage[] = [question()];
      const asking = {
        ...tools,
        read: { ...tools.read, needsApproval: ({ path }: { path: string }) => path.includes('_0.') },
      };
      for (let turn = 0; turn < 25; turn++) {
        const added = addedBy(
          await generateText({
            ...settings(model, ''),
            tools: asking,
            messages,
            prepareStep,
          }),
        );
        messages.push(...added);
        const requests = added.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Part[]) : []));
        const answers = requests
          .filter(({ type }) => type === 'tool-approval-request')
          .map(({ approvalId }, index) => ({
            type: 'tool-approval-response' as const,
            approvalId,
            approved: index % 2 === 0,
          }));
        if (answers.length > 0) messages.push({ role: 'tool', content: answers });
        else messages.push({ role: 'user', content: 'Go on.' });
      }
      expect(server.requests.length).toBeGreaterThan(25);
      expect(condensations(fits).length).toBeGreaterThan(1);
    });
  });

  describe(`${name}: the middleware`, () => {
    it.each<[Api, string, 'generateText' | 'streamText']>([
      ['chat', 'gpt-4o', 'generateText'],
      ['responses', 'gpt-5', 'streamText'],
      ['anthropic', 'claude-opus-5-5', 'streamText'],
      ['anthropic', 'claude-opus-5-5', 'generateText'],
    ])(
      '%s, %s: a long loop with %s is never refused, and rewritten only by condensations',
      async (api, modelName, how) => {
        const { server, model } = await started(api, modelName, { steps: loopSteps, thinks: modelName !== 'gpt-4o' });
        const made: boolean[] = [];
        const middleware = condensingMiddleware({
          condenser: condenser(),
          onFit: (fitted) => void made.push(fitted.condensations.length > 0),
        });
        const options = { ...settings(wrapLanguageModel({ model, middleware }), modelName), messages: [question()] };
        const text = how === 'generateText' ? (await generateText(options)).text : await streamText(options).text;
        expect(text).toBe(`Answer ${loopSteps - 1}.`);
        expect(server.requests).toHaveLength(loopSteps);
        expect(made.filter(Boolean).length).toBeGreaterThan(3);
        expect(rewritesIn(sentTo(server))).toEqual(made.flatMap((has, index) => (has ? [index] : [])));
      },
    );

    it('counts a long system prompt and tools once, as words in a message', async () => {
      const { model } = await started('chat', 'gpt-4o', { steps: 1 });
      const sizes: number[] = [];
      const scale: Condenser = {
        name: 'scale',
        condense: (view, { fixedTokens = 0 } = {}) => {
          sizes.push(view.tokens() + fixedTokens);
          return view;
        },
      };
      const wrapped = wrapLanguageModel({ model, middleware: condensingMiddleware({ condenser: scale }) });
      const long = '请阅读项目中的所有文件。'.repeat(500);
      const many = Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `tool_${index}`,
          tool({
            description: long.slice(0, 100),
            inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
          }),
        ]),
      );
      const text = JSON.stringify(Object.entries(many).map(([name, { description }]) => ({ name, description })));
      const said = (content: string): ModelMessage => ({ role: 'user', content });
      const system = { system: long, instructions: long };
      await generateText({ model: wrapped, ...system, tools: many, messages: [said('Hello.')] });
      await generateText({ model: wrapped, messages: [said(long), said(text), said('Hello.')] });
      const [beside = 0, within = 0] = sizes;
      expect(within).toBeGreaterThan(10_000);
      // The form in which a tool is sent has some words more.
      expect(beside).toBeGreaterThan(within);
      expect(beside).toBeLessThan(within + 100 * 30);
    });

    it.each(['generateText', 'streamText'] as const)('%s: what the provider counts is recorded', async (how) => {
      const { model } = await started('anthropic', 'claude-haiku-4-5', { steps: 4 });
      const { condenser: watching, usages } = usageWatcher();
      const wrapped = wrapLanguageModel({ model, middleware: condensingMiddleware({ condenser: watching }) });
      const options = { ...settings(wrapped, ''), messages: [question()] };
      await (how === 'generateText' ? generateText(options) : streamText(options).text);
      expect(usages().map((sent) => sent > 100)).toEqual([true, true, true]);
    });

    it.each<[Api, string, 'generateText' | 'streamText']>([
      ['chat', 'gpt-4o', 'generateText'],
      ['responses', 'gpt-5', 'generateText'],
      ['responses', 'gpt-5', 'streamText'],
      ['anthropic', 'claude-haiku-4-5', 'streamText'],
    ])('%s, %s: an overflow in %s is answered by a shorter prompt', async (api, modelName, how) => {
      const { server, model } = await started(api, modelName, { steps: 40 * share, contextWindow: 6_000 * share });
      const middleware = condensingMiddleware({ condenser: { name: 'idle', condense: (view) => view } });
      const options = {
        ...settings(wrapLanguageModel({ model, middleware }), ''),
        maxOutputTokens: 500,
        messages: [question()],
      };
      const text = how === 'generateText' ? (await generateText(options)).text : await streamText(options).text;
      expect(text).toBe(`Answer ${40 * share - 1}.`);
      expect(server.requests.length).toBeGreaterThan(40 * share);
    });

    it.each([
      [
        'is too long for the model',
        "This model's maximum context length is 8192 tokens.",
        'context_length_exceeded',
        2,
      ],
      ['has a content that is not allowed', 'Not allowed.', 'content_filter', 1],
    ])('a stream that begins with an error, because a prompt %s', async (_, message, code, requests) => {
      const delta = (text: string, finish: string | null) => ({
        data: { id: 'c', choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] },
      });
      const server = await serve({
        basePath: '/v1',
        handle: () => ({
          status: 200,
          events:
            server.requests.length === 1
              ? [{ data: { error: { message, code, type: 'invalid_request_error' } } }, { data: '[DONE]' }]
              : [delta('It', null), delta(' fits.', 'stop'), { data: '[DONE]' }],
        }),
      });
      servers.push(server);
      const middleware = condensingMiddleware({ condenser: { name: 'idle', condense: (view) => view } });
      const model = createOpenAI({ baseURL: server.baseURL, apiKey: 'key' }).chat('gpt-4');
      // OpenAI's and Anthropic's providers throw such an error; those of compatible servers pass it on as a part.
      const passing: LanguageModelMiddleware = {
        specificationVersion: 'v3',
        wrapStream: async ({ doStream }) => {
          try {
            return await doStream();
          } catch (error) {
            const stream = new ReadableStream({
              start: (controller) => {
                controller.enqueue({ type: 'stream-start', warnings: [] });
                controller.enqueue({ type: 'error', error });
                controller.close();
              },
            });
            return { stream };
          }
        },
      };
      const errors: unknown[] = [];
      const messages = Array.from({ length: 40 }, (_, index): ModelMessage[] => [
        { role: 'user', content: `Question ${index}: ${'word '.repeat(300)}` },
        { role: 'assistant', content: 'Answer.' },
      ]).flat();
      const result = streamText({
        model: wrapLanguageModel({ model, middleware: [middleware, passing] }),
        messages: [...messages, { role: 'user', content: 'The last.' }],
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });
      let text = '';
      for await (const part of result.textStream) text += part;
      expect(server.requests).toHaveLength(requests);
      expect(text).toBe(requests === 2 ? 'It fits.' : '');
      expect(errors).toHaveLength(2 - requests);
      if (requests === 1) expect(JSON.stringify(errors)).toContain('Not allowed.');
    });

    it.each(['generateText', 'streamText'] as const)('passes other errors of %s on as they are', async (how) => {
      const { server } = await started('chat', 'gpt-4o', { steps: 3 });
      const model = createOpenAI({ baseURL: `${server.baseURL}/nowhere`, apiKey: 'key' }).chat('gpt-4o');
      const wrapped = wrapLanguageModel({ model, middleware: condensingMiddleware({ condenser: condenser() }) });
      const errorOf = async (called: typeof model) => {
        const errors: unknown[] = [];
        const options = { model: called, maxRetries: 0, prompt: 'Go on.' };
        if (how === 'generateText') await generateText(options).catch((error: unknown) => errors.push(error));
        else await streamText({ ...options, onError: ({ error }) => void errors.push(error) }).consumeStream();
        const { name, message } = errors[0] as Error;
        return { name, message };
      };
      expect(await errorOf(wrapped)).toEqual(await errorOf(model));
      expect(server.requests).toHaveLength(2);
    });
  });
}

interface Part {
  readonly type: string;
  readonly approvalId: string;
}
