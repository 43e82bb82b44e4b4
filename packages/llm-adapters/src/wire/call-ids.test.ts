import { describe, expect, it } from 'vitest';
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

  it('leaves two calls of one message that share an id as they are: the list is broken', () => {
    expect(callIds({ maxLength: 40 }).ofCalls(calls('0', '0'))).toEqual(['0', '0']);
  });
});
