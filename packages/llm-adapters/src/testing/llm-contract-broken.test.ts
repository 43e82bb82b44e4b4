import type { AssistantMessage, Message } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import { deltasFromMessage } from '../llm.js';
import { AuthenticationError, ContextWindowExceededError, LLMError, RateLimitError } from '../errors.js';
import type { Completion, CompletionRequest } from '../llm.js';
import { llmContract } from './llm-contract.js';
import { scriptedScenario } from '../../test-support/scripted-scenario.js';
import type { LLMScenario } from './llm-contract/scenario.js';
import type { ScriptedLLM } from './scripted-llm.js';

/** A flaw in how it counts. */
type CountTokens = NonNullable<ScriptedLLM['countTokens']>;
type Complete = (request: CompletionRequest) => Promise<Completion>;

/** One thing that an LLM gets wrong, and the rule that must notice. */
interface Flaw {
  readonly flaw: string;
  readonly rule: string;
  readonly broken?: (good: Complete, scenario: LLMScenario) => Complete;
  readonly countTokens?: CountTokens;
}

/** A flaw in what is answered. */
const inAnswer =
  (change: (completion: Completion, request: CompletionRequest) => Completion): NonNullable<Flaw['broken']> =>
  (good) =>
  async (request) =>
    change(await good(request), request);

/** A flaw in what is sent. */
const inRequest =
  (change: (request: CompletionRequest) => CompletionRequest): NonNullable<Flaw['broken']> =>
  (good) =>
  async (request) =>
    good(change(request));

/** A flaw in how it fails. */
const inError =
  (
    change: (error: unknown, scenario: LLMScenario, request: CompletionRequest) => unknown,
  ): NonNullable<Flaw['broken']> =>
  (good, scenario) =>
  (request) =>
    good(request).catch((error: unknown) => {
      throw change(error, scenario, request);
    });

const inMessage = (change: (message: AssistantMessage) => AssistantMessage) =>
  inAnswer((completion) => ({ ...completion, message: change(completion.message) }));

const withoutMessages = (drops: (message: Message) => boolean) =>
  inRequest((request) => ({ ...request, messages: request.messages.filter((message) => !drops(message)) }));

const withoutSignal = ({ signal: _signal, ...rest }: CompletionRequest): CompletionRequest => rest;
const withoutListener = ({ onDelta: _onDelta, ...rest }: CompletionRequest): CompletionRequest => rest;

const flaws: readonly Flaw[] = [
  {
    flaw: 'trims the text',
    rule: 'answers with the text',
    broken: inMessage((message) => ({
      ...message,
      content: message.content.map((part) =>
        part.type === 'text' ? { ...part, text: part.text.replace(/\W+$/, '') } : part,
      ),
    })),
  },
  {
    flaw: 'has an empty id',
    rule: 'answers with the text',
    broken: inAnswer((completion) => ({ ...completion, providerResponseId: '' })),
  },
  {
    flaw: 'hands out a map',
    rule: 'is plain data that survives JSON',
    broken: inAnswer((completion) => ({ ...completion, headers: new Map([['x', 'y']]) })),
  },
  {
    flaw: 'turns calls around',
    rule: 'hands out tool calls',
    broken: inMessage((message) => ({ ...message, toolCalls: [...(message.toolCalls ?? [])].reverse() })),
  },
  {
    flaw: 'gives all calls one id',
    rule: 'hands out tool calls',
    broken: inMessage((message) => ({
      ...message,
      toolCalls: (message.toolCalls ?? []).map((call) => ({ ...call, id: 'call' })),
    })),
  },
  {
    flaw: 'says stop where it calls',
    rule: 'hands out tool calls',
    broken: inAnswer((completion) => ({ ...completion, finishReason: 'stop' })),
  },
  {
    flaw: 'parses arguments and gives up',
    rule: 'hands out arguments that are no JSON',
    broken: inMessage((message) => {
      for (const call of message.toolCalls ?? []) JSON.parse(call.arguments);
      return message;
    }),
  },
  {
    flaw: 'takes no call without arguments',
    rule: 'takes every call of an answer that ended naturally',
    broken: inAnswer((completion) => ({
      ...completion,
      callStates: completion.message.toolCalls?.map((call) => (call.arguments === '' ? 'cut' : 'as-written')),
    })),
  },
  {
    flaw: 'completes half a call',
    rule: 'takes a call that the limit cut off',
    broken: inMessage((message) => ({
      ...message,
      toolCalls: (message.toolCalls ?? []).map((call) => ({ ...call, arguments: closed(call.arguments) })),
    })),
  },
  {
    flaw: 'trusts a block that the provider closed when it cut it',
    rule: 'takes a call that the limit cut off',
    broken: inAnswer((completion) => ({
      ...completion,
      callStates: completion.message.toolCalls?.map(() => 'complete'),
    })),
  },
  {
    flaw: 'says tool-calls where the limit ended a call',
    rule: 'takes a call that the limit cut off',
    broken: inAnswer((completion) => ({ ...completion, finishReason: 'tool-calls' })),
  },
  {
    flaw: 'writes an empty object for no text',
    rule: 'takes a call of which no text came',
    broken: inMessage((message) => ({
      ...message,
      toolCalls: (message.toolCalls ?? []).map((call) => ({ ...call, arguments: call.arguments || '{}' })),
    })),
  },
  {
    flaw: 'does not say that an answer was filtered',
    rule: 'takes no call for whole after a content filter',
    broken: inAnswer((completion) => ({ ...completion, finishReason: 'other' })),
  },
  {
    flaw: 'rounds numbers, and passes them off as written',
    rule: 'keeps the text of arguments to the byte',
    broken: inMessage((message) => ({
      ...message,
      toolCalls: (message.toolCalls ?? []).map((call) => ({
        ...call,
        arguments: JSON.stringify(JSON.parse(call.arguments)),
      })),
    })),
  },
  {
    flaw: 'says what it knows of the last call alone',
    rule: 'says of every call what it knows',
    broken: inAnswer((completion) => ({ ...completion, callStates: ['complete'] })),
  },
  {
    flaw: 'makes an empty part of an empty answer',
    rule: 'gives an empty answer',
    broken: inMessage((message) =>
      message.content.length === 0 ? { ...message, content: [{ type: 'text', text: '' }] } : message,
    ),
  },
  {
    flaw: 'takes every end for a stop',
    rule: 'says that an answer was cut off',
    broken: inAnswer((completion) => ({
      ...completion,
      finishReason: completion.finishReason === 'length' ? 'stop' : completion.finishReason,
    })),
  },
  {
    flaw: 'subtracts the cache from nothing',
    rule: 'counts in whole tokens',
    broken: inAnswer((completion) => ({ ...completion, usage: { ...completion.usage, uncachedInputTokens: -3 } })),
  },
  {
    flaw: 'divides by nothing',
    rule: 'counts in whole tokens',
    broken: inAnswer((completion) => ({ ...completion, costUsd: Number.NaN })),
  },
  {
    flaw: 'passes an estimate off as counted',
    rule: 'says that usage is an estimate',
    broken: inAnswer(({ usageIsEstimated: _flag, ...completion }) => completion),
  },
  {
    flaw: 'sends what it hears to the listener of the newest call',
    rule: 'keeps calls at the same time apart',
    broken: (good) => {
      let newest: CompletionRequest['onDelta'];
      return (request) => {
        newest = request.onDelta ?? newest;
        return good({ ...request, onDelta: (delta) => newest?.(delta) });
      };
    },
  },
  {
    flaw: 'forgets calls when it streams',
    rule: 'gives the same completion whether',
    broken: inAnswer((completion, { onDelta }) => {
      const { toolCalls: _calls, ...message } = completion.message;
      return onDelta === undefined ? completion : { ...completion, message };
    }),
  },
  {
    flaw: 'forgets thinking when it streams',
    rule: 'gives the same completion with thinking',
    broken: inAnswer((completion, { onDelta }) => {
      const { thinkingBlocks: _blocks, ...message } = completion.message;
      return onDelta === undefined ? completion : { ...completion, message };
    }),
  },
  {
    flaw: 'loses the first delta',
    rule: 'hands out deltas that together',
    broken: (good) => (request) => {
      let heard = 0;
      return good({ ...request, onDelta: (delta) => (heard++ === 0 ? undefined : request.onDelta?.(delta)) });
    },
  },
  {
    flaw: 'repeats the id of a call in every piece',
    rule: 'hands out deltas that together',
    broken: (good) => (request) =>
      good({
        ...request,
        onDelta: (delta) => {
          request.onDelta?.(delta);
          if (delta.type === 'tool-call') request.onDelta?.({ ...delta, arguments: '' });
        },
      }),
  },
  {
    flaw: 'goes on talking',
    rule: 'hands out no delta after',
    broken: (good) => async (request) => {
      const completion = await good(request);
      setTimeout(() => request.onDelta?.({ type: 'text', text: 'And another thing.' }), 0);
      return completion;
    },
  },
  {
    flaw: 'hands everything out at the end',
    rule: 'hands out pieces before',
    broken: (good) => async (request) => {
      const completion = await good(withoutListener(request));
      if (request.onDelta !== undefined) deltasFromMessage(completion.message).forEach(request.onDelta);
      return completion;
    },
  },
  {
    flaw: 'answers with what it has when the connection is lost',
    rule: 'takes half an answer for a failure',
    broken: (good) => async (request) => {
      let text = '';
      const listening = {
        ...request,
        onDelta: (delta: Parameters<NonNullable<CompletionRequest['onDelta']>>[0]) => {
          text += delta.type === 'text' ? delta.text : '';
          request.onDelta?.(delta);
        },
      };
      return good(listening).catch((error: unknown) => {
        if (text === '' || request.signal?.aborted === true) throw error;
        return completionOf(text);
      });
    },
  },
  {
    flaw: 'divides by nothing on the way',
    rule: 'counts on the way',
    broken: (good) => (request) => {
      const usage = { uncachedInputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
      request.onUsage?.({ usage, costUsd: Number.NaN });
      return good(request);
    },
  },
  {
    flaw: 'goes on where the lost answer stopped',
    rule: 'asks again when the connection is lost in the middle',
    broken: (good) => (request) =>
      good({
        ...request,
        onDelta: (delta) => (delta.type === 'restart' ? undefined : request.onDelta?.(delta)),
      }),
  },
  {
    flaw: 'says that it starts over, and gives up',
    rule: 'tells its listener nothing more when the last try is lost',
    broken: (good) => (request) =>
      good(request).catch((error: unknown) => {
        request.onDelta?.({ type: 'restart', reason: 'the connection was lost' });
        throw error;
      }),
  },
  {
    flaw: 'takes an empty name for a name',
    rule: 'gives a call without a name a name',
    broken: inMessage((message) => ({
      ...message,
      toolCalls: (message.toolCalls ?? []).map((call) => (call.name === 'unnamed_tool' ? { ...call, name: '' } : call)),
    })),
  },
  {
    flaw: 'sends although nobody waits',
    rule: 'rejects with the reason of an abort that came before',
    broken: (good) => async (request) => {
      const completion = await good(withoutSignal(request));
      request.signal?.throwIfAborted();
      return completion;
    },
  },
  {
    flaw: 'hears an abort only when the answer is there',
    rule: 'rejects with the reason of an abort while it waits',
    broken: (good) => async (request) => {
      request.signal?.throwIfAborted();
      const completion = await good(withoutSignal(request));
      request.signal?.throwIfAborted();
      return completion;
    },
  },
  {
    flaw: 'hears no abort once it has begun to stream',
    rule: 'rejects with the reason of an abort in the middle',
    broken: (good) => (request) => good(request.onDelta === undefined ? request : withoutSignal(request)),
  },
  {
    flaw: 'makes an error of its own of an abort',
    rule: 'rejects with the reason of an abort while it waits',
    broken: inError((error, _scenario, { signal }) => (signal?.aborted === true ? new Error('aborted') : error)),
  },
  {
    flaw: 'hands out what has arrived after all',
    rule: 'rejects with the reason of an abort that its own listener',
    broken: (good) => async (request) => {
      const completion = await good(withoutSignal(request));
      request.signal?.throwIfAborted();
      return completion;
    },
  },
  {
    flaw: 'stays aborted',
    rule: 'answers the next call after an aborted one',
    broken: (good) => {
      let last: AbortSignal | undefined;
      return (request) => {
        last?.throwIfAborted();
        last = request.signal;
        return good(request);
      };
    },
  },
  {
    flaw: 'sends no instructions',
    rule: 'sends instructions',
    broken: withoutMessages(({ role }) => role === 'system'),
  },
  {
    flaw: 'leaves out calls that are no JSON',
    rule: 'sends instructions',
    broken: inRequest((request) => ({
      ...request,
      messages: request.messages.map((message) =>
        message.role === 'assistant' && message.toolCalls !== undefined
          ? { ...message, toolCalls: message.toolCalls.filter(({ arguments: input }) => input.endsWith('}')) }
          : message,
      ),
    })),
  },
  { flaw: 'sends no tools', rule: 'sends instructions', broken: inRequest(({ tools: _tools, ...request }) => request) },
  {
    flaw: 'sends no images of results',
    rule: 'sends images',
    broken: inRequest((request) => ({
      ...request,
      messages: request.messages.map((message) =>
        message.role === 'tool'
          ? { ...message, content: message.content.filter(({ type }) => type === 'text') }
          : message,
      ),
    })),
  },
  {
    flaw: 'sends only the first result of a batch',
    rule: 'sends its own calls back',
    broken: inRequest((request) => ({
      ...request,
      messages: request.messages.filter(
        ({ role }, index) => role !== 'tool' || request.messages[index - 1]?.role !== 'tool',
      ),
    })),
  },
  {
    flaw: 'sends no schema',
    rule: 'sends the schema',
    broken: inRequest(({ responseFormat: _format, ...request }) => request),
  },
  {
    flaw: 'fences JSON',
    rule: 'sends the schema',
    broken: inMessage((message) => ({
      ...message,
      content: message.content.map((part) =>
        part.type === 'text' ? { ...part, text: `\`\`\`json\n${part.text}\n\`\`\`` } : part,
      ),
    })),
  },
  {
    flaw: 'forgets the tool choice',
    rule: 'lets the request say',
    broken: inRequest(({ toolChoice: _choice, ...request }) => request),
  },
  {
    flaw: 'forces any tool where one is named',
    rule: 'lets the request say',
    broken: inRequest((request) =>
      typeof request.toolChoice === 'object' ? { ...request, toolChoice: 'required' } : request,
    ),
  },
  {
    flaw: 'leaves out thinking',
    rule: 'sends thinking back',
    broken: inRequest((request) => ({
      ...request,
      messages: request.messages.map((message) => {
        if (message.role !== 'assistant') return message;
        const { thinkingBlocks: _blocks, ...rest } = message;
        return rest;
      }),
    })),
  },
  { flaw: 'counts nothing', rule: 'counts, where it counts', countTokens: () => Promise.resolve(0) },
  { flaw: 'counts no messages', rule: 'counts, where it counts', countTokens: () => Promise.resolve(7) },
  {
    flaw: 'merges the history in place',
    rule: 'takes a frozen request',
    broken: inRequest((request) => {
      (request.messages as Message[]).push({ role: 'user', content: [] });
      return request;
    }),
  },
  {
    flaw: 'counts on the request being its own, once it can',
    rule: 'takes a frozen request',
    broken: inRequest((request) => {
      if (!Object.isFrozen(request)) Object.assign(request, { cache: undefined });
      return request;
    }),
  },
  {
    flaw: 'takes an overflow for a bad request',
    rule: 'says that the input does not fit',
    broken: inError((error) => (ContextWindowExceededError.isInstance(error) ? plainError() : error)),
  },
  {
    flaw: 'takes a wrong key for a failure',
    rule: 'says that the key is wrong',
    broken: inError((error) => (AuthenticationError.isInstance(error) ? plainError() : error)),
  },
  {
    flaw: 'quotes the provider',
    rule: 'shows its key in no error',
    broken: inError((error, { apiKey }) =>
      AuthenticationError.isInstance(error)
        ? new AuthenticationError('refused', { provider: 'x', cause: new Error(`Incorrect API key: ${apiKey}`) })
        : error,
    ),
  },
  {
    flaw: 'keeps the request in a hidden field',
    rule: 'shows its key in no error',
    broken: inError((error, { apiKey }) => {
      Object.defineProperty(error, 'request', { value: { headers: { authorization: `Bearer ${apiKey}` } } });
      return error;
    }),
  },
  {
    flaw: 'does not say how long to wait',
    rule: 'says how long to wait',
    broken: inError((error) =>
      RateLimitError.isInstance(error) ? new RateLimitError('wait', { provider: 'x', kind: 'rate' }) : error,
    ),
  },
  {
    flaw: 'throws what the SDK threw',
    rule: 'says that a failure of the provider',
    broken: inError((error) => (LLMError.isInstance(error) ? new Error('500') : error)),
  },
  {
    flaw: 'tells the listener of a call that failed',
    rule: 'says how long to wait',
    broken: (good) => (request) => {
      request.onDelta?.({ type: 'text', text: '' });
      return good(request);
    },
  },
];

/** Closes what is open, as the lenient parsers of SDKs do. */
function closed(text: string): string {
  for (const end of ['', '}', '"}', 'null}']) if (text !== '' && isJson(text + end)) return text + end;
  return '{}';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function plainError(): LLMError {
  return new LLMError('invalid-request', 'bad request', { provider: 'x', isRetryable: false });
}

function completionOf(text: string): Completion {
  const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const message: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text }] };
  return { message, providerResponseId: 'half', usage, finishReason: 'stop', model: 'scripted' };
}

/** Returns what the contract has against an LLM: the names of the rules that failed, of those that begin so. */
async function complaints(
  beginning: string,
  { broken, countTokens }: Partial<Flaw> = {},
): Promise<{ readonly all: string[]; readonly failed: string[] }> {
  const rules: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  llmContract({
    test: (name, run) => rules.push({ name, run }),
    create: (scenario) => {
      const { llm, sent } = scriptedScenario(scenario);
      const complete = broken?.(llm.complete, scenario) ?? llm.complete;
      return { llm: { ...llm, complete, countTokens }, sent };
    },
  });
  const failed: string[] = [];
  for (const { name, run } of rules.filter((rule) => rule.name.startsWith(`llm: ${beginning}`))) {
    await run().catch(() => failed.push(name));
  }
  return { all: rules.map(({ name }) => name), failed };
}

describe('llmContract', () => {
  it.each(flaws)('catches an LLM that $flaw', async (flaw) => {
    const { failed } = await complaints(flaw.rule, flaw);
    expect(failed).toHaveLength(1);
  });

  it('has a broken LLM for every rule, and nothing against a good one', async () => {
    const { all, failed } = await complaints('');
    expect(failed).toEqual([]);
    expect(all.filter((name) => !flaws.some(({ rule }) => name.startsWith(`llm: ${rule}`)))).toEqual([]);
  });
});
