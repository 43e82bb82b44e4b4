import {
  body,
  user,
  assistant,
  text,
  call,
  result,
  thinking,
  redacted,
  manual,
  binding,
  ask,
} from '../anthropic-requests.js';
import type { RequestExamples } from '../anthropic-requests.js';

export const thinkingExamples: RequestExamples = {
  taken: [
    ['A15: a budget', body([ask], manual)],
    ['A15: adaptive and turned off', body([ask], { thinking: { type: 'disabled' } })],
    ['A15: adaptive from 4.6 on', body([ask], { model: 'claude-opus-4-6', thinking: { type: 'adaptive' } })],
    ['A15: manual up to 4.6', body([ask], { ...manual, model: 'claude-opus-4-6' })],
    ['A16: a turn that starts with thinking', body([ask, assistant(thinking, call('a')), user(result('a'))], manual)],
    [
      'A16: a turn that starts with redacted thinking',
      body([ask, assistant(redacted, call('a')), user(result('a'))], manual),
    ],
    [
      'A16: a loop that starts with thinking',
      body([ask, assistant(thinking, call('a')), user(result('a')), assistant(call('b')), user(result('b'))], manual),
    ],
    [
      'A16: an older loop without thinking',
      body([ask, assistant(call('a')), user(result('a')), assistant(text('Yes.')), ask], manual),
    ],
    [
      'A16: adaptive thinking',
      body([ask, assistant(call('a')), user(result('a'))], { thinking: { type: 'adaptive' } }),
    ],
    ['A19: sampling of an old model', body([ask], { model: 'claude-opus-4-6', temperature: 0 })],
  ],
  refused: [
    ['A15', 'thinking', 'manual thinking from 4.7 on', body([ask], { ...manual, model: 'claude-opus-4-7' })],
    [
      'A15',
      'thinking',
      'adaptive thinking up to 4.5',
      body([ask], { model: 'claude-opus-4-5', thinking: { type: 'adaptive' } }),
    ],
    [
      'A15',
      'thinking',
      'no thinking of a model that always thinks',
      body([ask], { model: 'claude-fable-5-1', thinking: { type: 'disabled' } }),
    ],
    ['A15', 'thinking', 'thinking of a type that does not exist', body([ask], { thinking: { type: 'hard' } })],
    [
      'A15',
      'thinking.enabled.budget_tokens',
      'a budget that is too small',
      body([ask], { ...manual, thinking: { type: 'enabled', budget_tokens: 1_023 } }),
    ],
    ['A15', 'max_tokens', 'a budget that leaves no answer', body([ask], { ...manual, max_tokens: 1_024 })],
    [
      'A16',
      'messages.1.content.0.type',
      'a turn that starts with a call',
      body([ask, assistant(call('a')), user(result('a'))], manual),
    ],
    [
      'A16',
      'messages.5.content.0.type',
      'a loop without thinking after one with it',
      body(
        [
          ...[ask, assistant(thinking, call('a')), user(result('a')), assistant(text('Yes.')), ask],
          ...[assistant(text('Hm.'), call('b')), user(result('b'))],
        ],
        manual,
      ),
    ],
    [
      'A16',
      'messages.1.content.type',
      'an answer to continue',
      body([ask, { role: 'assistant', content: 'Yes,' }], manual),
    ],
    ['A18', 'thinking.adaptive.block_binding', 'binding without its header', body([ask], binding)],
    ['A19', 'temperature', 'a temperature', body([ask], { temperature: 1 })],
    ['A19', 'top_p', 'a share of tokens', body([ask], { top_p: 0.9, model: 'claude-opus-4-7' })],
    ['A19', 'top_k', 'a number of tokens', body([ask], { top_k: 5 })],
  ],
};
