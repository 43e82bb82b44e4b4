import { describe, expect, it } from 'vitest';
import { said, sessionRowsOf, stepRows, withHandles } from '../test-support/session.js';
import type { SessionRow } from './host.js';
import { Originals } from './originals.js';
import { readRows } from './transcript.js';

const bare = (rows: readonly SessionRow[]) => (readRows(withHandles(rows)) ?? []).map(({ row }) => row);

/** An answer that keeps the first row and the last ones. */
function answered(originals: Originals, list: readonly SessionRow[], digest: string, kept: number) {
  const answer = [list[0] as SessionRow, said('user', digest), ...list.slice(-kept)];
  originals.keep(list, answer);
  return answer;
}

describe('the originals', () => {
  it('take the place of our answer, which comes back with what followed', () => {
    const originals = new Originals();
    const list = bare(sessionRowsOf(12));
    expect(originals.listOf(list)).toBe(list);
    const first = answered(originals, list, 'A digest.', 4);
    const more = bare(stepRows(20));
    expect(originals.listOf(bare([...first, ...more]))).toEqual([...list, ...more]);

    const longer = originals.listOf(bare([...first, ...more]));
    const second = answered(originals, longer, 'A longer digest.', 2);
    expect(originals.listOf(bare(second))).toEqual(longer);
    expect(originals.rows).toEqual(longer);
    expect(originals.last).toEqual(longer);
  });

  it('survive what is stored of them', () => {
    const originals = new Originals();
    const list = bare(sessionRowsOf(12));
    const answer = answered(originals, list, 'A digest.', 4);
    const { state, rows } = originals;
    const { count, answers } = JSON.parse(JSON.stringify(state)) as typeof state;
    const again = new Originals(JSON.parse(JSON.stringify(rows)) as SessionRow[], answers);
    expect(count).toBe(list.length);
    expect(again.listOf(bare(answer))).toEqual(list);
  });

  it('follow a person who rewinds: within the kept rows, and to before our answer', () => {
    const originals = new Originals();
    const list = bare(sessionRowsOf(12));
    const answer = answered(originals, list, 'A digest.', 4);
    const other = said('user', 'Do something else.');
    expect(originals.listOf([...answer.slice(0, -2), other])).toEqual([...list.slice(0, -2), other]);
    const rewound = [...list.slice(0, 5), other];
    expect(originals.listOf(rewound)).toBe(rewound);
  });

  it('do not take the place of a list that is not ours', () => {
    const originals = new Originals();
    answered(originals, bare(sessionRowsOf(12)), 'A digest.', 4);
    const other = bare([
      said('user', 'Read the files of the shop and find the wrong price. Never change a test.'),
      ...stepRows(3),
    ]);
    expect(originals.listOf(other)).toBe(other);
  });
});
