import {
  ask,
  assistant,
  body,
  call,
  image,
  images,
  result,
  text,
  thinking,
  tools,
  user,
} from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const contentExamples: RequestExamples = {
  taken: [
    ['thinking before words and calls', body([ask, assistant(thinking, text('Hm.'), call('a')), user(result('a'))])],
    ['a blank block beside a real one', body([user(text(' '), text('Go.'))])],
    ['A23: as many images as there may be', body([user(...images(100))], { model: 'claude-sonnet-4-5' })],
    ['A23: more images for a larger window', body([user(...images(101))])],
    ['A-text: whole pairs, and escapes that are text', body([user(text('😀 \\ud83d'))])],
    [
      'A-block-type: what the tools of the provider leave',
      body([
        ask,
        assistant(
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          text('Yes.'),
        ),
        ask,
      ]),
    ],
    ['A-empty-list: no tool among the tools', body([ask], { tools: [] })],
    ['A-empty-list: no list', body([ask, assistant(call('a')), user(result('a', { content: undefined }))])],
    [
      'A-empty-list: an empty list within an input',
      body([ask, assistant(call('a', { input: { of: [] } })), user(result('a'))]),
    ],
  ],
  refused: [
    ['A9', 'messages.0.content.1', 'an empty text block', body([user(text('Go.'), text(''))])],
    [
      'A9',
      'messages.2.content.0.content.0',
      'an empty text block in a result',
      body([ask, assistant(call('a')), user(result('a', { content: [text('')] }))]),
    ],
    ['A9', 'system.0', 'an empty text block in the instructions', body([ask], { system: [text('')] })],
    ['A9', 'messages.1.content.0', 'a message of white space', body([ask, assistant(text(' \n')), ask])],
    ['A23', 'messages', 'more images than there may be', body([user(...images(101))], { model: 'claude-sonnet-4-5' })],
    [
      'A23',
      'messages',
      'more images in results',
      body([ask, assistant(call('a')), user(result('a', { content: images(60) }), ...images(41))], {
        model: 'claude-sonnet-4-5',
      }),
    ],
    ['A-text', 'messages.0.content.0.text', 'half of a pair in a text', body([user(text('a \ud83d'))])],
    ['A-text', 'system', 'half of a pair in the instructions', body([ask], { system: '\ude00 a' })],
    [
      'A-text',
      'messages.1.content.0.input.path',
      'half of a pair in an input',
      body([ask, assistant(call('a', { input: { path: '\ud83d' } })), user(result('a'))]),
    ],
    [
      'A-text',
      'messages.1.content.0.input',
      'half of a pair in a key',
      body([ask, assistant(call('a', { input: { '\ud83d': 1 } })), user(result('a'))]),
    ],
    [
      'A-text',
      'messages.2.content.0.content',
      'half of a pair in a result',
      body([ask, assistant(call('a')), user(result('a', { content: '\ud83d\ud83d' }))]),
    ],
    [
      'A-text',
      'tools.0.description',
      'half of a pair in a description',
      body([ask], { tools: [{ ...tools[0], description: '\ude00' }] }),
    ],
    [
      'A-block-type',
      'messages.0.content.0.type',
      'a block of no known type',
      body([user({ type: 'input_text', text: 'Go.' })]),
    ],
    ['A-block-type', 'messages.0.content.1.type', 'a block without a type', body([user(text('Go.'), { text: 'x' })])],
    ['A-empty-list', 'system', 'no block among the instructions', body([ask], { system: [] })],
    [
      'A-empty-list',
      'messages.2.content.0.content',
      'no block in a result',
      body([ask, assistant(call('a')), user(result('a', { content: [] }))]),
    ],
    ['A-system', 'system.0', 'an image in the instructions', body([ask], { system: [image] })],
    [
      'A-final-thinking',
      'messages.1',
      'a turn that ends in thinking',
      body([ask, assistant(text('Hm.'), thinking), ask]),
    ],
  ],
};
