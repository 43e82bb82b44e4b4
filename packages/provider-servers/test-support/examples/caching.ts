import {
  ask,
  assistant,
  body,
  call,
  long,
  marked,
  result,
  short,
  text,
  thinking,
  tools,
  user,
} from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const cachingExamples: RequestExamples = {
  taken: [
    ['A12: four marks, long before short', body([user(marked('a', long), marked('b'), marked('c'), marked('d'))])],
    [
      'A12: the automatic mark on a block that has its own',
      body([user(marked('a'), marked('b'), marked('c'), marked('d'))], short),
    ],
    ['A12: a mark on a call and on a result', body([ask, assistant(call('a', short)), user(result('a', short))])],
  ],
  refused: [
    [
      'A12',
      '',
      'four marks and one within a result',
      body([
        user(...'abcd'.split('').map((words) => marked(words))),
        assistant(call('a')),
        user(result('a', { content: [marked('e')] })),
      ]),
    ],
    ['A12', '', 'five marks', body([user(...'abcde'.split('').map((words) => marked(words)))])],
    [
      'A12',
      '',
      'four marks and the automatic one',
      body([user(...'abcd'.split('').map((words) => marked(words)), text('e'))], short),
    ],
    [
      'A12',
      'messages.0.content.0.cache_control.ttl',
      'a long mark after a short one of the tools',
      body([user(marked('a', long))], { tools: [{ ...tools[0], ...short }] }),
    ],
    [
      'A12',
      'cache_control.ttl',
      'an automatic long mark after a short one',
      body([user(marked('a'), text('b'))], long),
    ],
    [
      'A12',
      'messages.1.content.0.thinking.cache_control',
      'a mark on thinking',
      body([ask, assistant({ ...thinking, ...short }, call('a')), user(result('a'))]),
    ],
    [
      'A12',
      'system.0.cache_control',
      'a life that does not exist',
      body([ask], { system: [marked('a', { cache_control: { type: 'ephemeral', ttl: '2h' } })] }),
    ],
    [
      'A12',
      'system.0.cache_control',
      'a mark that is not one',
      body([ask], { system: [marked('a', { cache_control: {} })] }),
    ],
  ],
};
