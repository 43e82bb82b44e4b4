import { ask, assistant, body, system, text } from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const envelopeExamples: RequestExamples = {
  taken: [
    ['one message', body([ask])],
    ['content that is text', body([{ role: 'user', content: 'Go.' }])],
    ['max_tokens 0', body([ask], { max_tokens: 0 })],
    ['an empty answer at the end of an old model', body([ask, assistant()], { model: 'claude-sonnet-4-5' })],
    [
      'a prefill of an old model',
      body([ask, assistant(text('The answer is'))], { model: 'claude-3-5-sonnet-20241022' }),
    ],
    ['a system message after the user at the end', body([ask, system(text('Be short.'))])],
    ['a system message before an answer', body([ask, system(text('Be short.')), assistant(text('Yes.')), ask])],
    [
      'a system message after a tool of the provider',
      body([
        ask,
        assistant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
        system(text('Be short.')),
      ]),
    ],
    ['A24: words to stop at', body([ask], { stop_sequences: ['\nEND'] })],
    [
      'A25: every field that is known',
      body([ask], { metadata: {}, service_tier: 'auto', output_config: { effort: 'low' }, stream: false }),
    ],
    ['A25: a field that is not there', body([ask], { surprise: undefined })],
    ['as much output as the model has', body([ask], { max_tokens: 128_000 })],
    ['much output of a model not known here', body([ask], { model: 'claude-next', max_tokens: 500_000 })],
  ],
  refused: [
    ['A1', '', 'no object', 'body'],
    ['A1', 'model', 'no model', body([ask], { model: undefined })],
    ['A1', 'max_tokens', 'no max_tokens', body([ask], { max_tokens: undefined })],
    ['A1', 'max_tokens', 'a broken max_tokens', body([ask], { max_tokens: 1.5 })],
    ['A1', 'messages', 'no messages', body([])],
    ['A2', 'messages.0', 'the assistant first', body([assistant(text('Hello.')), ask])],
    ['A2', 'messages.0', 'a system message first', body([system(text('Be short.')), ask])],
    ['A3', 'messages.1', 'an unknown role', body([ask, { role: 'tool', content: 'ok' }, ask])],
    [
      'A3',
      'messages.2',
      'a system message after an answer',
      body([ask, assistant(text('Yes.')), system(text('Be short.'))]),
    ],
    ['A3', 'messages.1', 'a system message before the user', body([ask, system(text('Be short.')), ask])],
    [
      'A3',
      'messages.1',
      'a system message for an old model',
      body([ask, system(text('Be short.'))], { model: 'claude-opus-4-7' }),
    ],
    ['A10', 'messages.1', 'an empty message', body([ask, assistant(), ask])],
    ['A10', 'messages.1', 'a message of empty text', body([ask, { role: 'assistant', content: '' }, ask])],
    ['A10', 'messages.0', 'no content', body([{ role: 'user' }])],
    ['A11', 'messages.1', 'an answer to continue', body([ask, assistant(text('The answer is'))])],
    [
      'A11',
      'messages.1',
      'an answer to continue for a model not known here',
      body([ask, assistant(text('The answer is'))], { model: 'claude-next' }),
    ],
    [
      'A11',
      'messages.1.content.0',
      'a prefill that ends in white space',
      body([ask, assistant(text('The answer is '))], { model: 'claude-haiku-4-5-20251001' }),
    ],
    ['A24', 'stop_sequences.1', 'a blank to stop at', body([ask], { stop_sequences: ['END', ' \n'] })],
    ['A25', 'temprature', 'a field that does not exist', body([ask], { temprature: 1 })],
    ['A25', 'context_management', 'a field of a beta without its header', body([ask], { context_management: {} })],
    [
      'A-max-output',
      'max_tokens',
      'more output than the model has',
      body([ask], { model: 'claude-opus-4-5-20251101', max_tokens: 64_001 }),
    ],
  ],
};
