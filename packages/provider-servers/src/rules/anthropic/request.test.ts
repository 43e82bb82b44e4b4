import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cachingExamples } from '../../../test-support/examples/caching.js';
import { contentExamples } from '../../../test-support/examples/content.js';
import { envelopeExamples } from '../../../test-support/examples/envelope.js';
import { pairingExamples } from '../../../test-support/examples/pairing.js';
import { post } from '../../../test-support/anthropic-client.js';
import {
  ask,
  assistant,
  binding,
  body,
  call,
  images,
  long,
  manual,
  marked,
  result,
  settings,
  short,
  system,
  text,
  tools,
  user,
} from '../../../test-support/anthropic-requests.js';
import { thinkingExamples } from '../../../test-support/examples/thinking.js';
import { toolExamples } from '../../../test-support/examples/tools.js';
import { checkAnthropicRequest } from './request.js';
import { anthropicServer } from '../../servers/anthropic/server.js';
import type { ProviderServer } from '../../servers/http.js';

const examples = [envelopeExamples, contentExamples, pairingExamples, toolExamples, cachingExamples, thinkingExamples];
const taken = examples.flatMap((group) => group.taken);
const refused = examples.flatMap((group) => group.refused);

/** Wordings that pages, types or threads show; those that are remembered only are not in it. */
const words: readonly (readonly [string, unknown])[] = [
  [
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, b. Each `tool_use` block must ' +
      'have a corresponding `tool_result` block in the next message.',
    body([ask, assistant(call('a'), call('b')), ask]),
  ],
  [
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: b. Each `tool_result` block must have a ' +
      'corresponding `tool_use` block in the previous message.',
    body([ask, assistant(text('Hm.')), user(result('b'))]),
  ],
  [
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    body([ask, assistant(call('a')), user(result('a'), result('a'))]),
  ],
  [
    'messages.1.content.1: `tool_use` ids must be unique',
    body([ask, assistant(call('a'), call('a')), user(result('a'))]),
  ],
  [
    'messages.1: This model does not support assistant message prefill. The conversation must end with a user message.',
    body([ask, assistant(text('Yes.'))]),
  ],
  [
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    body([user(...'abcde'.split('').map((letter) => marked(letter)))]),
  ],
  [
    "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that " +
      'blocks are processed in the following order: `tools`, `system`, `messages`.',
    body([ask], { tools: [{ ...tools[0], ...short }], system: [marked('a', long)] }),
  ],
  [
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    body([ask], { tools: [{ name: 'files.read', input_schema: {} }] }),
  ],
  [
    'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
    body([ask], { model: 'claude-sonnet-4-5', max_tokens: 128_000 }),
  ],
  [
    'tool_choice: type "tool" and "any" are not supported for this model.',
    body([ask], { model: 'claude-fable-5-1', tool_choice: { type: 'any' } }),
  ],
];

describe('checkAnthropicRequest', () => {
  let server: ProviderServer;
  beforeAll(async () => {
    server = await anthropicServer({ checksSignatures: false, reply: () => ({ content: [text('Hello.')] }) });
  });
  afterAll(() => server.close());

  it.each(taken)('takes %s', (_what, request) => expect(checkAnthropicRequest(request)).toEqual([]));

  it.each(refused)('%s at %j: %s', (rule, path, _what, request) => {
    const found = checkAnthropicRequest(request);
    expect(found[0]).toMatchObject({ rule, path });
    expect(found.filter((other) => other.rule !== rule)).toEqual([]);
  });

  it.each(words)('has the words of the provider: %s', async (said, request) => {
    const { status, body: answer, refusal } = await post(server, request);
    expect({ status, answer }).toMatchObject({ status: 400, answer: { error: { type: 'invalid_request_error' } } });
    expect(refusal).toBe(said);
  });

  it('opens with a header what a header opens', () => {
    expect(checkAnthropicRequest(body([ask], binding), { betas: ['thinking-binding-controls-2026-08-01'] })).toEqual(
      [],
    );
    expect(checkAnthropicRequest(body([ask], { context_management: {} }), { betas: ['some'] })).toEqual([]);
    const interleaved = body([ask], { ...manual, max_tokens: 1_000 });
    expect(checkAnthropicRequest(interleaved, { betas: ['interleaved-thinking-2025-05-14'] })).toEqual([]);
  });

  it.each<[string, string, readonly unknown[]]>([
    ['an empty message, as pi sends it', 'mid-conversation-output-config-2026-07-01', [settings()]],
    ['one with words, as Claude Code sends it', 'per-turn-control-2026-07-01', [settings(text('In a folder.'))]],
    ['words before an empty one', 'mid-conversation-output-config-2026-07-01', [system(text('New.')), settings()]],
  ])('settings in the middle of a conversation: %s', (_what, beta, messages) => {
    const list = [ask, ...messages, assistant(call('a')), user(result('a')), ...messages];
    expect(checkAnthropicRequest(body(list), { betas: [beta] })).toEqual([]);
    expect(checkAnthropicRequest(body(list)).map(({ rule }) => rule)).toContain('A-message-settings');
    const elsewhere = body([{ ...ask, output_config: { effort: 'low' } }]);
    expect(checkAnthropicRequest(elsewhere, { betas: [beta] })).toMatchObject([{ rule: 'A-message-settings' }]);
    const misplaced = body([ask, ...messages, ask]);
    expect(checkAnthropicRequest(misplaced, { betas: [beta] })).toMatchObject([{ rule: 'A3' }]);
  });

  it('takes changes of tools in a system message with their header only', () => {
    const changes = body([ask, system({ type: 'tool_removal', tool: { type: 'tool_reference', name: 'run' } })]);
    expect(checkAnthropicRequest(changes, { betas: ['inline-tools-2026-09-15'] })).toEqual([]);
    expect(checkAnthropicRequest(changes)).toMatchObject([{ rule: 'A3' }]);
  });

  it.each([
    ['with disabled thinking', { type: 'disabled', block_binding: { prefix_mismatch_behavior: 'drop_block' } }],
    ['with a behaviour that does not exist', { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'keep' } }],
  ])('refuses a binding %s, with its header too', (_what, thinking) => {
    const found = checkAnthropicRequest(body([ask], { thinking }), { betas: ['thinking-binding-controls-2026-08-01'] });
    expect(found).toMatchObject([{ rule: 'A18' }]);
  });

  it('lets a count have no max_tokens, and nothing else that only an answer has', () => {
    const { max_tokens: _, ...counted } = body([ask], { thinking: { type: 'adaptive' } });
    expect(checkAnthropicRequest(counted, { endpoint: 'count-tokens' })).toEqual([]);
    const found = checkAnthropicRequest(body([ask], { stream: true }), { endpoint: 'count-tokens' });
    expect(found.map(({ rule, path }) => [rule, path])).toEqual([
      ['A25', 'max_tokens'],
      ['A25', 'stream'],
    ]);
  });

  it('counts images and messages to the last one', () => {
    const found = (request: unknown) => checkAnthropicRequest(request).map(({ rule }) => rule);
    expect(found(body([user(...images(600))]))).toEqual([]);
    expect(found(body([user(...images(601))]))).toEqual(['A23']);
    expect(found(body(Array.from({ length: 100_000 }, () => ask)))).toEqual([]);
    expect(found(body(Array.from({ length: 100_001 }, () => ask)))).toEqual(['A1']);
  });

  it.each([null, [], 7, {}, { messages: 'x' }, { messages: [null, 7, { role: 7, content: [null, { type: 7 }] }] }])(
    'refuses %j and does not throw',
    (request) => expect(checkAnthropicRequest(request)).not.toEqual([]),
  );
});
