import { describe, expect, it } from 'vitest';
import { mistralCallIds } from '../openai/chat/message-order.js';
import { callIds } from './call-ids.js';

const calls = (...ids: string[]) => ids.map((id) => ({ id, name: 'run', arguments: '{}' }));

describe('callIds', () => {
  it('keeps ids that can be sent', () => {
    const ids = callIds({ maxLength: 40 });
    expect(ids.ofCalls(calls('toolu_01', 'call-2'))).toEqual(['toolu_01', 'call-2']);
    expect(ids.ofResult('toolu_01')).toBe('toolu_01');
  });

  it('replaces what is too long or has other characters, and finds it again for the result', () => {
    const ids = callIds({ maxLength: 40 });
    const long = 'x'.repeat(41);
    const sent = ids.ofCalls(calls(long, 'functions.run:0'));
    for (const id of sent) expect(id).toMatch(/^call_[0-9a-f]{16}$/);
    expect([ids.ofResult(long), ids.ofResult('functions.run:0')]).toEqual(sent);
    expect(callIds({ maxLength: 64 }).ofCalls(calls(long))).toEqual([long]);
  });

  it('gives an id that comes again a new one, and results go to the newest', () => {
    const ids = callIds({ maxLength: 40 });
    expect(ids.ofCalls(calls('0', '1'))).toEqual(['0', '1']);
    expect(ids.ofResult('0')).toBe('0');
    const again = ids.ofCalls(calls('0'));
    expect(again).not.toEqual(['0']);
    expect(ids.ofResult('0')).toBe(again[0]);
    expect(ids.ofCalls(calls('0'))).not.toEqual(again);
  });

  it('tells calls of one message apart that share an id, and gives their results to them in order', () => {
    for (const ids of [callIds({ maxLength: 40 }), mistralCallIds()]) {
      const sent = ids.ofCalls(calls('abcdefgh0', 'abcdefgh1', 'abcdefgh0'));
      expect(new Set(sent).size).toBe(3);
      expect(sent.slice(0, 2)).toEqual(['abcdefgh0', 'abcdefgh1']);
      expect([0, 1, 2].map(() => ids.ofResult('abcdefgh0'))).toEqual([sent[0], sent[2], sent[2]]);
      expect(ids.ofResult('abcdefgh1')).toBe('abcdefgh1');
    }
  });

  it('tells ids apart that differ in halves of surrogate pairs alone', () => {
    const ids = callIds({ maxLength: 40 });
    const sent = ids.ofCalls(calls('\ud83d', '\ude00', '\ufffd'));
    expect(new Set(sent).size).toBe(3);
    for (const id of sent) expect(id).toMatch(/^call_[0-9a-f]{16}$/);
    expect(ids.ofResult('\ude00')).toBe(sent[1]);
  });
});
