import { protectedEventIds, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import {
  fixture,
  noteKinds,
  outline,
  sessionAt,
  sessionOf,
  sessionsAt,
} from '../../../test-support/fixtures/fixture-files.js';

/** The lines of a session's outline, one event each. */
async function outlineOf(name: string): Promise<{ format: string; lines: string[]; notes: string[] }> {
  const session = await sessionAt(fixture(name));
  return { format: session.format, lines: session.events.map(outline), notes: noteKinds(session) };
}

test('anthropic-messages', async () => {
  expect(await outlineOf('anthropic-messages.json')).toEqual({
    format: 'anthropic-messages',
    lines: [
      'system Be brief. [run]',
      'user as user: List the files.',
      'response-1 toolu_1 run {"command":"ls"} «Listing.»',
      'response-1 toolu_2 run {"command":"pwd"} «»',
      'result toolu_1 run: a b',
      'result toolu_2 run: /w',
      'user as user: And then?',
      'agent as assistant: Two files.',
    ],
    notes: [],
  });
});

test('anthropic-messages as JSON Lines, with redacted thinking and a block of no form here', async () => {
  const lines = [
    { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://kettle.example/a.pdf' } }] },
    {
      role: 'assistant',
      content: [
        { type: 'redacted_thinking', data: 'b3Bh' },
        { type: 'text', text: 'Read.' },
      ],
      usage: { input_tokens: 4, output_tokens: 2 },
    },
  ];
  const session = await sessionOf(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(session.format).toBe('anthropic-messages');
  expect(session.events[0]).toMatchObject({ type: 'recorded/unread', value: lines[0]?.content[0] });
  expect(session.events[1]).toMatchObject({
    content: [{ text: "(A block of the type 'document' is not shown here.)" }],
  });
  expect(session.events[2]).toMatchObject({ thinkingBlocks: [{ type: 'redacted-thinking', data: 'b3Bh' }] });
  expect(session.events[3]).toMatchObject({ usage: { uncachedInputTokens: 4, outputTokens: 2 } });
  expect(noteKinds(session)).toEqual(['unsupported-content ×1']);
});

test('openai-responses', async () => {
  expect(await outlineOf('openai-responses.json')).toEqual({
    format: 'openai-responses',
    lines: [
      'system Be brief. [run]',
      'user as user: List the files.',
      'response-1 call_1 run {"command":"ls"} «»',
      'result call_1 run: a b',
      'response-2 call_2 local_shell {"action":{"type":"exec","command":["pwd"]}} «»',
      'result call_2 local_shell: /w',
      'agent as assistant: Two files.',
    ],
    notes: [],
  });
});

test('openai-responses as JSON Lines with a header', async () => {
  const lines = [
    { id: '019', timestamp: '2026-03-01T09:00:00.000Z', instructions: null },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"command":["ls"]}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a' },
  ];
  const session = await sessionOf(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(session.format).toBe('openai-responses');
  expect(session.events.map(outline)).toEqual([
    'user as user: List.',
    'response-1 call_1 shell {"command":["ls"]} «»',
    'result call_1 shell: a',
  ]);
  expect(noteKinds(session)).toEqual(['unknown-line-type ×1']);
});

test('swe-agent-traj: demonstrations are not the user, native calls and text mode both have results', async () => {
  expect(await outlineOf('swe-agent-traj.json')).toEqual({
    format: 'swe-agent-traj',
    lines: [
      'system You fix code. []',
      'environment as user: Here is how another did it.',
      'user as user: Fix a.py.',
      'response-1 call_1 bash {"command":"ls"} «Listing.»',
      'result call_1 bash: a.py',
      'response-2 call-of-message-5 shell {"command":"submit"} «Done.»',
      'result call-of-message-5 shell: Submitted.',
    ],
    notes: [],
  });
});

test('swe-agent-traj without a history is read from its steps', async () => {
  const trajectory = [{ action: 'ls\n', observation: 'a.py', thought: 'Look.\n', response: 'Look.\n```\nls\n```' }];
  const { events } = await sessionOf(JSON.stringify({ environment: 'main', trajectory }));
  expect(events.map(outline)).toEqual([
    'response-1 call-of-step-0 shell {"command":"ls"} «Look.»',
    'result call-of-step-0 shell: a.py',
  ]);
});

test('nebius-traj', async () => {
  expect(await outlineOf('nebius-traj.json')).toEqual({
    format: 'nebius-traj',
    lines: [
      'system You fix code. []',
      'user as user: Fix the kettle.',
      'response-1 call-of-message-2 shell {"command":"find_file \\"kettle\\""} «Look.»',
      'result call-of-message-2 shell: Found 1 match.',
      'response-2 call-of-message-4 shell {"command":"submit"} «»',
    ],
    notes: ['call-without-result ×1'],
  });
});

test('chat-xml', async () => {
  expect(await outlineOf('chat-xml.json')).toEqual({
    format: 'chat-xml',
    lines: [
      'system You fix code. []',
      'user as user: Fix the kettle.',
      'response-1 call-of-message-2 bash {"command":"ls -a"} «Look first.»',
      'result call-of-message-2 bash: OBSERVATION:\nkettle.py',
      'response-2 call-of-message-4 submit {} «»',
    ],
    notes: ['call-without-result ×1'],
  });
});

test('chat-xml: a call without its end tag is a call, and noted', async () => {
  const text = (command: string) => `<function=bash>\n<parameter=command>${command}`;
  const session = await sessionOf(
    JSON.stringify([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: `First.\n${text('ls</parameter>')}\n</function>` },
      { role: 'user', content: 'OBSERVATION: a' },
      { role: 'assistant', content: `Two.\n${text('cat a')}\n${text('cat b</parameter>')}` },
      { role: 'user', content: 'OBSERVATION: b' },
    ]),
  );
  expect(session.events.slice(3).map(outline)).toEqual([
    'response-2 call-of-message-3-0 bash {"command":"cat a\\n"} «Two.»',
    'response-2 call-of-message-3-1 bash {"command":"cat b"} «»',
    'result call-of-message-3-0 bash: OBSERVATION: b',
  ]);
  expect(session.notes).toContainEqual(
    expect.objectContaining({ message: 'a call without its end tag was read to where the next one begins', count: 2 }),
  );
});

test('chatml-tags: several calls in one text, and one that does not parse', async () => {
  expect(await outlineOf('chatml-tags.json')).toEqual({
    format: 'chatml-tags',
    lines: [
      'system You search. []',
      'user as user: Who whistled?',
      'response-1 call-of-message-2-0 search {"query":"whistle"} «<think>\nTwo searches.\n</think>»',
      'response-1 call-of-message-2-1 search {"query":"kettle"} «»',
      'result call-of-message-2-0 search: <tool_response>\nA bird.\n</tool_response>',
      'result call-of-message-2-1 search: <tool_response>\nA kettle.\n</tool_response>',
      'response-2 call-of-message-4 unknown {not json} «»',
      'result call-of-message-4 unknown: <tool_response>\nInvalid call.\n</tool_response>',
      'agent as assistant: <answer>\nThe kettle.\n</answer>',
    ],
    notes: ['arguments-not-json ×1'],
  });
});

test('openhands-events', async () => {
  const { events } = await sessionAt(fixture('openhands-events.json'));
  expect(events[3]).toMatchObject({
    type: 'llm-usage',
    model: 'invented-1',
    usage: { uncachedInputTokens: 50, outputTokens: 8 },
  });
  expect(await outlineOf('openhands-events.json')).toEqual({
    format: 'openhands-events',
    lines: [
      'system You fix code. [execute_bash]',
      'user as user: Fix it.',
      'gen-1 toolu_01 execute_bash {"command": "ls"} «Look.»',
      'llm-usage',
      'result toolu_01 execute_bash: kettle.py',
      'environment as user: A parameter is missing.',
      'agent as assistant: Fixed.',
    ],
    notes: ['skipped-line ×2'],
  });
});

test('openhands-events of the earliest kind, without ids and sources', async () => {
  expect(await outlineOf('openhands-events.flat.json')).toEqual({
    format: 'openhands-events',
    lines: [
      'user as user: Fix it.',
      'response-1 call-of-event-1 run {"command":"ls"} «Look.»',
      'result call-of-event-1 run: kettle.py',
      'response-2 call-of-event-3 finish {"outputs":{}} «»',
    ],
    notes: ['call-without-result ×1'],
  });
});

test("tau2: the simulated user's own tools are left out and counted", async () => {
  expect(await outlineOf('tau2.json')).toEqual({
    format: 'tau2',
    lines: [
      'system Be kind. []',
      'agent as assistant: Hello!',
      'user as user: No signal.',
      'response-2 call_1 get_line {"line":"L1"} «»',
      'llm-usage',
      'error call_1 get_line: no such line',
    ],
    notes: ['skipped-line ×1', 'skipped-line ×1'],
  });
});

test('nnetnav-steps: each page is the result of the action before it', async () => {
  const { format, lines, notes } = await outlineOf('nnetnav-steps.json');
  expect(format).toBe('nnetnav-steps');
  expect(lines.map((line) => line.split('\n')[0])).toEqual([
    'system You browse. []',
    'user as user: [1] link',
    'response-1 call-of-step-0-2 browser {"command":"click [1]"} «I will perform»',
    'result call-of-step-0-2 browser: [2] button',
    'response-2 call-of-step-1-2 browser {"command":"stop [done]"} «I will perform»',
  ]);
  expect(notes).toEqual(['skipped-line ×1', 'call-without-result ×1']);
});

test('intercode: a session for each task', async () => {
  const sessions = await sessionsAt(fixture('intercode.json'));
  expect(sessions.map((session) => [session.name, session.events.map(outline), noteKinds(session)])).toEqual([
    [
      'intercode.json#7',
      [
        'user as user: Count the files.',
        'response-1 call-of-action-0 bash {"command":"ls"} «»',
        'result call-of-action-0 bash: a\nb',
        'response-2 call-of-action-1 bash {"command":"ls | wc -l"} «»',
        'result call-of-action-1 bash: 2',
      ],
      [],
    ],
    [
      'intercode.json#8',
      ['user as user: Which tables?', 'response-1 call-of-action-0 sql {"command":"SHOW TABLES"} «»'],
      ['call-without-result ×1'],
    ],
  ]);
});

test('inspect-evallog: attachments are put back, usage counts the cache once', async () => {
  const { events } = await sessionAt(fixture('inspect-evallog.json'));
  expect(events.map(outline)).toEqual([
    'system  [go]',
    'user as user: Go to the kettle page.',
    'response-1 call_1 go {"url":"https://kettle.example"} «Looking.»',
    'llm-usage',
    'error call_1 go: too slow',
    'agent as assistant: Sorry.',
    'llm-usage',
  ]);
  expect(events[2]).toMatchObject({ thinkingBlocks: [{ thinking: 'Hm.', signature: 'c2ln' }] });
  expect(events[3]).toMatchObject({ usage: { uncachedInputTokens: 20, cacheReadTokens: 10 } });
  expect(events[6]).toMatchObject({ usage: { uncachedInputTokens: 5, cacheReadTokens: 40 } });
});

test('chatreplay: the calls below a repeated prompt belong to the request before it', async () => {
  expect(await outlineOf('chatreplay.json')).toEqual({
    format: 'chatreplay',
    lines: [
      'system You help. [create_file]',
      'user as user: Write hello.',
      'req-1 toolu_1 create_file {"path":"hello.txt"} «I will write it.»',
      'llm-usage',
      'result toolu_1 create_file: Created.',
      'agent as assistant: Written.',
      'user as user: Thanks.',
    ],
    notes: ['skipped-line ×2'],
  });
});

test('openhands-events: a hook is neither the user nor the agent', async () => {
  const event = (id: number, source: string | undefined, action: string, args: object) => ({
    id,
    timestamp: `2026-03-01T09:00:0${id}.000001`,
    source,
    action,
    args,
  });
  const log = [
    event(0, 'user', 'message', { content: 'Fix it.' }),
    event(1, 'hook', 'message', { content: 'Tests are in spec/.' }),
    event(2, 'agent', 'run', { command: 'ls' }),
    { id: 3, timestamp: '2026-03-01T09:00:03.5', source: 'hook', observation: 'run', content: 'blocked', cause: 2 },
    event(4, 'hook', 'run', { command: 'audit' }),
    event(5, 'agent', 'message', { content: 'Done.' }),
  ];
  const session = await sessionOf(JSON.stringify(log));
  expect(session.format).toBe('openhands-events');
  expect(session.events.map(outline)).toEqual([
    'user as user: Fix it.',
    'hook as user: Tests are in spec/.',
    'response-1 call-of-event-2 run {"command":"ls"} «»',
    'result call-of-event-2 run: blocked',
    'agent as assistant: Done.',
  ]);
  expect(noteKinds(session)).toEqual(['skipped-line ×1']);
  const view = View.fromEvents(session.events);
  expect(view.toMessages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect([...protectedEventIds(view)]).toEqual([session.events[0]?.id]);
  expect([...view.notes].map(({ note }) => note)).toEqual([expect.stringContaining("the source 'hook'")]);
});
