import { body, user, assistant, text, call, result, ask } from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const pairingExamples: RequestExamples = {
  taken: [
    [
      'a batch, results in another order, words after them',
      body([ask, assistant(text('Hm.'), call('a'), call('b')), user(result('b'), result('a'), text('And?'))]),
    ],
    [
      'A4: calls and results in neighbours of one role',
      body([ask, assistant(call('a')), assistant(call('b')), user(result('a')), user(result('b'), text('Go on.'))]),
    ],
    ['a result with no content', body([ask, assistant(call('a')), user({ type: 'tool_result', tool_use_id: 'a' })])],
  ],
  refused: [
    ['A5', 'messages.1', 'a call without a result', body([ask, assistant(call('a')), user(text('Well?'))])],
    [
      'A5',
      'messages.1',
      'one of two calls without a result',
      body([ask, assistant(call('a'), call('b')), user(result('b'))]),
    ],
    [
      'A5',
      'messages.2',
      'the second of two merged messages without its result',
      body([ask, assistant(call('a')), assistant(call('b')), user(result('a'))]),
    ],
    ['A6', 'messages.2.content.0', 'a result without a call', body([ask, assistant(text('Hm.')), user(result('a'))])],
    [
      'A6',
      'messages.4.content.0',
      'a result that comes a turn late',
      body([ask, assistant(call('a')), user(result('a')), assistant(text('Hm.')), user(result('a'))]),
    ],
    ['A6', 'messages.0.content.0', 'a result in the first message', body([user(result('a'))])],
    [
      'A7',
      'messages.2.content.1',
      'two results for one call',
      body([ask, assistant(call('a')), user(result('a'), result('a'))]),
    ],
    [
      'A7',
      'messages.3.content.0',
      'one id for two calls',
      body([ask, assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))]),
    ],
    [
      'A7',
      'messages.1.content.0.tool_use.id',
      'an id of other characters',
      body([ask, assistant(call('a.b')), user(result('a.b'))]),
    ],
    [
      'A8',
      'messages.2.content.1',
      'words before a result',
      body([ask, assistant(call('a')), user(text('Here:'), result('a'))]),
    ],
    [
      'A8',
      'messages.2.content.2',
      'words between results',
      body([ask, assistant(call('a'), call('b')), user(result('a'), text('and'), result('b'))]),
    ],
    [
      'A8',
      'messages.3.content.0',
      'A4: words before a result once neighbours are merged',
      body([ask, assistant(call('a')), user(text('Here:')), user(result('a'))]),
    ],
  ],
};
