import { ask, assistant, body, call, manual, result, schema, text, tools, user } from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const toolExamples: RequestExamples = {
  taken: [
    ['no tools and no calls', body([ask], { tools: undefined })],
    [
      'a result with blocks',
      body([ask, assistant(call('a')), user(result('a', { content: [text('x'), { type: 'image', source: {} }] }))]),
    ],
    ['an error with words', body([ask, assistant(call('a')), user(result('a', { is_error: true }))])],
    [
      'A13: the longest name and key',
      body([ask], { tools: [{ name: 'x'.repeat(128), input_schema: schema('a.b-c', 'x'.repeat(64)) }] }),
    ],
    ['A20: a tool that is forced', body([ask], { tool_choice: { type: 'tool', name: 'run' } })],
    [
      'A20: a free choice with thinking',
      body([ask], { tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' } }),
    ],
    [
      'A20: no tool at all of a model that cannot be forced',
      body([ask], { model: 'claude-fable-5-1', tool_choice: { type: 'none' } }),
    ],
  ],
  refused: [
    [
      'A13',
      'tools.0.custom.name',
      'a tool name of other characters',
      body([ask], { tools: [{ name: 'files.read', input_schema: {} }] }),
    ],
    ['A13', 'tools.0.custom.name', 'a tool name that is too long', body([ask], { tools: [{ name: 'x'.repeat(129) }] })],
    [
      'A13',
      'tools.0.custom.input_schema.properties',
      'a key of other characters',
      body([ask], { tools: [{ name: 'run', input_schema: schema('a', 'b c') }] }),
    ],
    ['A13', 'tools', 'two tools of one name', body([ask], { tools: [...tools, ...tools] })],
    [
      'A13',
      'messages.1.content.0.tool_use.name',
      'a call of a tool name of other characters',
      body([ask, assistant(call('a', { name: 'run it' })), user(result('a'))]),
    ],
    [
      'A14',
      'messages.1.content.0.tool_use.input',
      'an input that is text',
      body([ask, assistant(call('a', { input: '{}' })), user(result('a'))]),
    ],
    [
      'A14',
      'messages.1.content.0.tool_use.input',
      'an input that is a list',
      body([ask, assistant(call('a', { input: [] })), user(result('a'))]),
    ],
    ['A26', 'tools', 'calls and no tools', body([ask, assistant(call('a')), user(result('a'))], { tools: undefined })],
    [
      'A-error-content',
      'messages.2.content.0.tool_result',
      'an error without words',
      body([ask, assistant(call('a')), user(result('a', { is_error: true, content: [] }))]),
    ],
    [
      'A20',
      'tool_choice',
      'a tool that cannot be forced',
      body([ask], { model: 'claude-fable-5-1', tool_choice: { type: 'any' } }),
    ],
    [
      'A20',
      'tool_choice',
      'a forced tool with thinking',
      body([ask], { ...manual, tool_choice: { type: 'tool', name: 'run' } }),
    ],
    [
      'A-result-content',
      'messages.2.content.0.tool_result.content.0',
      'a call in a result',
      body([ask, assistant(call('a')), user(result('a', { content: [call('b')] }))]),
    ],
  ],
};
