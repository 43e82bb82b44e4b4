import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { describe, expect, it } from 'vitest';
import { addAnthropicStep } from '../../test-support/anthropic-loop.js';
import type { AnthropicMessage } from '../../test-support/anthropic-loop.js';
import { addResponsesStep } from '../../test-support/responses-loop.js';
import type { ResponsesItem } from '../../test-support/responses-loop.js';
import { anthropicMessages, condensedHistory, isPreamble, responsesItems } from '../index.js';

// The forms are those of recorded requests of each agent; paths and rules are shortened.
const environment = `<environment_context>
  <cwd>/home/ada/project</cwd>
  <shell>bash</shell>
  <current_date>2026-04-10</current_date>
</environment_context>`;
const agentsFile = `# AGENTS.md instructions for /home/ada/project

<INSTRUCTIONS>
Run the tests before you commit.
</INSTRUCTIONS>`;
const reminder = `<system-reminder>
As you answer the user's questions, you can use the following context:
# currentDate
Today's date is 2026-04-10.
</system-reminder>
`;

describe('isPreamble', () => {
  it.each([
    ['Codex: environment', environment],
    ['Codex: AGENTS.md', agentsFile],
    ['Codex: turn aborted', '<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>'],
    ['Claude Code: reminder', reminder],
    ['Claude Code: two reminders', reminder + reminder],
    ['Claude Code: command output', '<local-command-stdout>Connected.</local-command-stdout>'],
    ['Claude Code: interrupted', '[Request interrupted by user]'],
    ['Qwen Code: set-up', 'This is the Qwen Code. We are setting up the context for our chat.\nToday is Friday.'],
    ['Gemini CLI: session', '<session_context>\nThis is the Gemini CLI.\n</session_context>'],
  ])('%s', (_, text) => {
    expect(isPreamble(text)).toBe(true);
  });

  it.each([
    ['words behind a reminder', `${reminder}\nNow fix the bug.`],
    ['a tag of the user', '<role>You are a tester.</role>'],
    ['a command of the user', '<command-name>/review</command-name>'],
    ['a tag that is not closed', '<system-reminder> is what it writes. Why?'],
    ['words about a tag', 'What does <environment_context></environment_context> mean?'],
    ['many tags that are not closed', '<system-reminder>'.repeat(10_000)],
    ['nothing', ''],
  ])('not: %s', (_, text) => {
    expect(isPreamble(text)).toBe(false);
  });
});

const condenser = extractiveSummaryCondenser({ maxSize: 20, keepFirst: 0 });

it("tells the user's first request from what Codex writes before it, and keeps both", async () => {
  const request = 'Find the bug in the parser.';
  const input: ResponsesItem[] = [agentsFile, environment, request].map((text) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  }));
  for (let step = 0; step < 30; step++) addResponsesStep(input, step);
  const { messages, view } = await condensedHistory({ condenser, codec: responsesItems() }).fit(input);
  expect(messages.slice(0, 3)).toEqual(input.slice(0, 3));
  const sources = [...view.events].flatMap((event) =>
    event.type === 'message' && event.role === 'user' ? [event.source] : [],
  );
  expect(sources).toEqual(['environment', 'environment', 'user']);
});

it("keeps the user's words of a later message and not the reminder beside them, if a newer one says the same", async () => {
  const words = { type: 'text', text: 'Find the bug in the parser.' } as const;
  const list: AnthropicMessage[] = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'What shall I do?' },
    { role: 'user', content: [{ type: 'text', text: reminder }, words] },
  ];
  for (let step = 0; step < 30; step++) addAnthropicStep(list, step);
  (list.at(-1)?.content as unknown[]).push({ type: 'text', text: reminder.replace('04-10', '04-11') });
  const { messages } = await condensedHistory({ condenser, codec: anthropicMessages() }).fit(list);
  expect(JSON.stringify(messages)).toContain(words.text);
  expect(JSON.stringify(messages)).not.toContain('2026-04-10');
  expect(JSON.stringify(messages)).toContain('2026-04-11');
  expect(JSON.stringify(list[2])).toContain('2026-04-10');
});
