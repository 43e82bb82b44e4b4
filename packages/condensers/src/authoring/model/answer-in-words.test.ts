import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { expect, test } from 'vitest';
import { isWrittenCall, wordsOf } from './answers.js';

const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise.' }] }] } as const;
const words = async (answer: ScriptedAnswer) => wordsOf(await scriptedLLM({ script: [answer] }).complete(request));

const xml =
  '<function_calls>\n<invoke name="read">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>';
const json = '<tool_call>\n{"name": "read", "arguments": {"path": "a.ts"}}\n</tool_call>';
const qwen = '<function=read>\n<parameter=path>\na.ts\n</parameter>\n</function>';

test.each([
  ['a block of calls', xml],
  ['a call with a name space', xml.replaceAll(/(?<=<\/?)(?=function|invoke|parameter)/g, 'x:')],
  ['a call without its block', '<invoke name="read">\n</invoke>'],
  ['JSON in tags', json],
  ['JSON in tags on one line', json.replaceAll('\n', '')],
  ['a function in tags', qwen],
  ['a function with JSON', '<function=read>{"path":"a.ts"}</function>'],
  ['a call of Mistral', '[TOOL_CALLS] [{"name": "read", "arguments": {}}]'],
  ['words before a call', `Let me look at the file first.\n\n${xml}`],
  ['words before an indented call', `I look.\n  ${json}\n`],
  ['words after a call', `${json}\n\nI have read it.`],
  ['a call that is cut', json.slice(0, 30)],
  ['words before a call that is cut', `I look.\n${qwen.slice(0, 24)}`],
  ['nothing but a block of code with a call', `\`\`\`xml\n${xml}\n\`\`\``],
  ['words about one call before another', `The parser of \`<tool_call>\` is done.\n${json}`],
])('%s is a written call, and no answer', async (_what, text) => {
  expect(isWrittenCall(text)).toBe(true);
  await expect(words(text)).rejects.toMatchObject({ kind: 'invalid', account: { model: 'scripted' } });
});

test.each([
  [
    'prose about tags',
    'The parser reads <tool_call> and </tool_call>, and <function=read> too. Next: <invoke name="x">',
  ],
  [
    'a line that begins with a tag',
    '<tool_call> tags are parsed in read-calls.ts.\n<function_calls> is not supported yet.',
  ],
  ['a block of code at its end', `The test has this answer:\n\n\`\`\`xml\n${xml}\n\`\`\``],
  ['a block of code in its middle', `The test has:\n\`\`\`\n${json}\n\`\`\`\nIt fails.`],
  ['a block of code first', `\`\`\`\n${json}\n\`\`\`\nis what the model wrote; \`</tool_call>\` is missing.`],
  ['a quoted line in its middle', `The model wrote\n${json}\nand the parser failed.`],
  ['a list of tags', '- `<tool_call>`: done\n- `<function=read>`: to do\n- `</function>`'],
  ['code that mentions one', 'callStart = /<tool_call\\b|<function=/ is the pattern.\nPending: <function=>'],
  ['half a word', 'S'],
])('%s is none, and a summary may quote it', async (_what, text) => {
  expect(isWrittenCall(text)).toBe(false);
  expect(await words(text)).toBe(text);
});

test.each([
  'I can’t help with that.',
  "I'm sorry, but I cannot assist with that request.",
  'I am unable to provide a summary of this conversation.',
  'Sorry, I can’t summarize this.',
])('%j is a refusal', async (text) => {
  await expect(words(text)).rejects.toMatchObject({ kind: 'refused' });
});

test.each([
  'I cannot reach the registry, so the install is still to be done.',
  `I cannot provide the release yet: ${'a test fails; '.repeat(40)}`,
  'The user said: I cannot help with that.',
])('%j is none', async (text) => {
  expect(await words(text)).toBe(text.trim());
});

test('a call makes words no answer, whatever they say', async () => {
  const answer = { text: 'Let me look at the file first.', toolCalls: [{ name: 'read' }] };
  await expect(words(answer)).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining("'read'") });
  await expect(words({ text: ' ' })).rejects.toMatchObject({ kind: 'empty' });
});
