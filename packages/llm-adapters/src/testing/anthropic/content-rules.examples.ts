import { ask, assistant, body, call, image, images, result, text, thinking, user } from './request-examples.js';
import type { RequestExamples } from './request-examples.js';

export const contentExamples: RequestExamples = {
  taken: [
    ['thinking before words and calls', body([ask, assistant(thinking, text('Hm.'), call('a')), user(result('a'))])],
    ['a blank block beside a real one', body([user(text(' '), text('Go.'))])],
    ['A23: as many images as there may be', body([user(...images(100))], { model: 'claude-sonnet-4-5' })],
    ['A23: more images for a larger window', body([user(...images(101))])],
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
    ['A-system', 'system.0', 'an image in the instructions', body([ask], { system: [image] })],
    [
      'A-final-thinking',
      'messages.1',
      'a turn that ends in thinking',
      body([ask, assistant(text('Hm.'), thinking), ask]),
    ],
  ],
};
