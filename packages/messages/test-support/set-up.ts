import type { AnthropicMessage } from './anthropic-loop.js';
import type { ResponsesItem } from './responses-loop.js';

// Each fixture has the shape and about the lengths of recorded requests of its agent. The words are our own.

/** Text of a length, told from other text by a mark at its beginning and its end. Unit: characters. */
function lines(mark: string, length: number): string {
  const line = '- Keep each change small, and run the tests of the package before the next one.\n';
  return `${mark}-begins\n${line.repeat(Math.ceil(length / line.length))}${mark}-ends`;
}

/** The texts that a fixture must keep: marks of its set-up, and marks of which the newest stays. */
export interface SetUp<Message> {
  readonly messages: readonly Message[];
  readonly marks: readonly string[];
}

/** Claude Code: reminders before the user's words in one message, and a system message in the middle of the list. */
export const claudeCode: SetUp<AnthropicMessage> = {
  messages: [
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: `<system-reminder>\nThese skills can be used in this session:\n${lines('skills', 6_000)}\n</system-reminder>\n`,
        },
        {
          type: 'text',
          text: `<system-reminder>\nUse this context where it helps:\n# claudeMd\n${lines('claude-md', 9_000)}\n</system-reminder>\n\n`,
        },
        { type: 'text', text: 'Find out why the parser drops comments, and mend it.' },
      ],
    },
    { role: 'system', content: `# Environment\n${lines('environment', 1_500)}` } as unknown as AnthropicMessage,
  ],
  marks: ['skills', 'claude-md', 'environment'],
};

function item(role: 'user' | 'developer', text: string): ResponsesItem {
  return { type: 'message', role, content: [{ type: 'input_text', text }] };
}

/** Codex: a developer message, the project's file, its environment, then the user's words. */
export const codex: SetUp<ResponsesItem> = {
  messages: [
    item('developer', `<permissions instructions>\n${lines('permissions', 3_000)}\n</permissions instructions>`),
    item(
      'user',
      `# AGENTS.md instructions for /home/ada/project\n\n<INSTRUCTIONS>\n${lines('agents-md', 7_000)}\n</INSTRUCTIONS>`,
    ),
    item(
      'user',
      `<environment_context>\n  <cwd>/home/ada/project</cwd>\n  <shell>bash</shell>\n${lines('environment', 300)}\n</environment_context>`,
    ),
    item('user', 'Find out why the parser drops comments, and mend it.'),
  ],
  marks: ['permissions', 'agents-md', 'environment'],
};

/** Qwen Code and Gemini CLI: a message about the folder, which the model has acknowledged before the user speaks. */
export const qwen: SetUp<{ readonly role: string; readonly content: string }> = {
  messages: [
    { role: 'system', content: lines('system', 20_000) },
    {
      role: 'user',
      content: `This is the Qwen Code. We are setting up the context for our chat.\n${lines('folder', 4_000)}`,
    },
    { role: 'assistant', content: 'Got it. Thanks for the context!' },
    { role: 'user', content: 'Find out why the parser drops comments, and mend it.' },
  ],
  marks: ['system', 'folder'],
};
