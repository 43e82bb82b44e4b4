import { describe, expect, it } from 'vitest';
import { call, result, said, sessionRowsOf, withHandles } from '../test-support/session.js';
import type { SessionRow } from './host.js';
import { isBlankRow, rowKey } from './rows.js';
import { answerRows, readRows } from './transcript.js';

const names = (rows: readonly SessionRow[]) => rows.map((row) => rowKey(row));

describe('the rows that a model reads', () => {
  it('are those with text, calls or results', () => {
    const read = readRows(withHandles([said('user', 'Go.'), said('assistant', ''), said('assistant', 'Yes.')])) ?? [];
    expect(read).toEqual([
      { row: said('user', 'Go.'), index: 0 },
      { row: said('assistant', 'Yes.'), index: 2 },
    ]);
  });

  it('have all calls of an answer before their results', () => {
    const rows = [
      call('a', 1),
      call('b', 2),
      result('a', '1'),
      call('c', 3),
      result('c', '3'),
      result('b', '2'),
      said('assistant', 'Done.'),
    ];
    expect((readRows(rows) ?? []).map(({ index }) => index)).toEqual([0, 1, 3, 2, 4, 5, 6]);
  });

  it('are unknown if one of them is', () => {
    expect(readRows([said('user', 'Go.'), { role: 'system', text: '' } as never])).toBeUndefined();
  });
});

describe('an answer', () => {
  const rows = sessionRowsOf(8);
  const read = readRows(rows) ?? [];
  const wanted = read.map(({ row }) => row);

  it('is the transcript where nothing changes', () => {
    expect(answerRows(rows, read, wanted)).toEqual({ own: rows, anew: [] });
  });

  it('has the own rows up to the first change, and no handle from there on', () => {
    const shorter = [wanted[0], said('user', 'A digest.'), ...wanted.slice(-4)] as typeof wanted;
    const { own, anew } = answerRows(rows, read, shorter);
    expect(own).toEqual(rows.slice(0, 1));
    expect(anew).toEqual(shorter.slice(1));
    expect(anew.some(({ handle }) => handle !== undefined)).toBe(false);
  });

  it('never ends the own rows in the middle of an answer, or with its thinking', () => {
    for (let place = 1; place < wanted.length; place++) {
      const changed = [...wanted.slice(0, place), said('user', 'A digest.'), ...wanted.slice(place + 1)];
      const { own, anew } = answerRows(rows, read, changed);
      const last = own.at(-1);
      expect(last !== undefined && isBlankRow(last), `${place}`).toBe(false);
      expect(last?.role === 'assistant' && anew[0]?.role === 'assistant', `${place}`).toBe(false);
      const again = [...(readRows(own) ?? []).map(({ row }) => row), ...anew];
      expect(names(again), `${place}`).toEqual(names(changed));
    }
  });

  it('leaves results with their calls where they arrived between other calls', () => {
    const mixed = [
      said('user', 'Go.'),
      call('a', 1),
      call('b', 2),
      result('a', '1'),
      call('c', 3),
      result('c', '3'),
      result('b', '2'),
    ];
    const inOrder = readRows(mixed) ?? [];
    const changed = inOrder.map(({ row, index }) => (index === 3 ? result('a', 'masked') : row));
    expect(answerRows(mixed, inOrder, changed)).toEqual({ own: mixed.slice(0, 1), anew: changed.slice(1) });
    const last = inOrder.map(({ row, index }) => (index === 5 ? result('c', 'masked') : row));
    expect(answerRows(mixed, inOrder, last)).toEqual({ own: mixed.slice(0, 5), anew: last.slice(5) });
  });
});
