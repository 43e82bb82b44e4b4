import { codecContract } from '@palimpsest/messages/testing';
import { describe, expect, it, test } from 'vitest';
import { call, result, said, sessionRowsOf } from '../test-support/session.js';
import { bareRow, isBlankRow, isSessionRow, rowKey, sessionRows } from './rows.js';

describe('the codec of the rows of a session', () => {
  codecContract({
    test,
    create: () => sessionRows(),
    conversations: () => [sessionRowsOf(14), sessionRowsOf(14, { handles: false })],
  });

  it('gives a changed row no handle: the engine would send its own', () => {
    const codec = sessionRows();
    const row = { ...result('toolu_1', 'The whole file.'), handle: 'row-7' };
    const changed = codec.changed(row, { results: new Map([['toolu_1', { line: '[more]' }]]) });
    expect(changed).toEqual(result('toolu_1', 'The whole file.\n[more]'));
  });
});

it('reads a blank row as a thinking block', () => {
  expect(isBlankRow(said('assistant', ''))).toBe(true);
  expect([said('assistant', 'Yes.'), call('toolu_1', 1), result('toolu_1', '')].some(isBlankRow)).toBe(false);
});

it('compares rows by what a model reads of them', () => {
  const row = { ...call('toolu_1', 1), handle: 'a' };
  expect(rowKey(row)).toBe(rowKey({ ...call('toolu_1', 1), handle: 'b' }));
  expect(rowKey(row)).not.toBe(rowKey(call('toolu_1', 2)));
  const use = { ...call('toolu_1', 1).toolUses[0], result: { file: 'record' }, text: 'result' };
  expect(bareRow({ ...row, toolUses: [use as never] })).toEqual(call('toolu_1', 1));
});

it('knows a row by its shape', () => {
  expect(isSessionRow(call('toolu_1', 1))).toBe(true);
  expect([null, {}, { role: 'system', text: '', toolUses: [] }, { role: 'user', text: '' }].some(isSessionRow)).toBe(
    false,
  );
});
