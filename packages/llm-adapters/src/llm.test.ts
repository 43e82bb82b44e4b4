import { describe, expect, it } from 'vitest';
import { deltasFromMessage, wholeCalls } from './llm.js';
import type { CallState, Completion, FinishReason } from './llm.js';
import { noUsage } from './usage.js';

it('gives thinking, words and calls in that order, and nothing for what is empty', () => {
  expect(
    deltasFromMessage({
      role: 'assistant',
      content: [{ type: 'text', text: 'Two files.' }],
      toolCalls: [{ id: 'c1', name: 'run', arguments: '{}' }],
      thinkingBlocks: [
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'redacted-thinking', data: 'x' },
      ],
    }),
  ).toEqual([
    { type: 'thinking', text: 'Hm.' },
    { type: 'text', text: 'Two files.' },
    { type: 'tool-call', index: 0, id: 'c1', name: 'run', arguments: '{}' },
  ]);
});

function answer(finishReason: FinishReason, texts: readonly string[], callStates?: readonly CallState[]): Completion {
  const toolCalls = texts.map((text, index) => ({ id: `call_${index}`, name: 'bash', arguments: text }));
  const state = callStates === undefined ? {} : { callStates };
  return { message: { role: 'assistant', content: [], toolCalls }, ...state, usage: noUsage, finishReason, model: 'm' };
}

const object = '{"command":"rm -rf build/cache"}';
const cutReasons = ['length', 'interrupted', 'paused', 'other'] as const;

describe('wholeCalls', () => {
  it.each(cutReasons)('finds no proper prefix of an object whole under %s', (reason) => {
    for (let end = 1; end < object.length; end++) {
      expect(wholeCalls(answer(reason, [object.slice(0, end)])), object.slice(0, end)).toEqual([false]);
    }
    expect(wholeCalls(answer(reason, [object]))).toEqual([true]);
  });

  it('takes an empty text for whole after a natural end, or before another call', () => {
    expect(wholeCalls(answer('tool-calls', ['']))).toEqual([true]);
    expect(wholeCalls(answer('length', ['', '']))).toEqual([true, false]);
    expect(wholeCalls(answer('length', [''], ['complete']))).toEqual([true]);
  });

  it('leaves text that can be repaired to the repair after a natural end alone', () => {
    expect(wholeCalls(answer('stop', ["{'a': 1,}"]))).toEqual([true]);
    expect(wholeCalls(answer('length', ["{'a': 1,}"]))).toEqual([false]);
    expect(wholeCalls(answer('length', ['[1]']))).toEqual([false]);
  });

  it('never takes the last call without raw text for whole in an answer that was cut', () => {
    expect(wholeCalls(answer('length', [object, object], ['parsed', 'parsed']))).toEqual([true, false]);
    expect(wholeCalls(answer('tool-calls', [object], ['parsed']))).toEqual([true]);
  });

  it('follows what the wire said of a call', () => {
    expect(wholeCalls(answer('tool-calls', [object], ['cut']))).toEqual([false]);
    expect(wholeCalls(answer('length', ['free text'], ['complete']))).toEqual([true]);
  });

  it('finds no call whole after a content filter', () => {
    expect(wholeCalls(answer('content-filter', [object, object], ['complete', 'as-written']))).toEqual([false, false]);
  });
});
