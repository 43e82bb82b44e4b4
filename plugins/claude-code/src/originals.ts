import type { SessionRow } from './host.js';
import { rowKey } from './rows.js';

/** A row of an answer: the place of an original among those that are kept, or a row that stands for others. */
type AnswerRow = number | SessionRow;

/** An answer of ours, and the list of originals for which it stands. */
interface Answer {
  readonly rows: readonly AnswerRow[];
  readonly list: readonly number[];
}

/** The stored part of {@link Originals}, beside the rows. */
export interface OriginalsState {
  readonly count: number;
  readonly answers: readonly Answer[];
}

/** After a rewind the conversation goes on from an answer before the last one. */
const keptAnswers = 6;

/**
 * The rows of a conversation as they were before we answered to a compaction. Claude Code hands back what we answered, with new
 * handles and what came after; here the originals take its place again, so our log goes on and recall reaches everything.
 */
export class Originals {
  readonly #rows: SessionRow[];
  readonly #places = new Map<SessionRow, number>();
  #answers: readonly Answer[];

  constructor(rows: readonly SessionRow[] = [], answers: readonly Answer[] = []) {
    this.#rows = [...rows];
    this.#rows.forEach((row, place) => this.#places.set(row, place));
    this.#answers = answers;
  }

  /** All rows that are kept, in the order in which they were. */
  get rows(): readonly SessionRow[] {
    return this.#rows;
  }

  get state(): OriginalsState {
    return { count: this.#rows.length, answers: this.#answers };
  }

  /** The originals of the last answer. */
  get last(): readonly SessionRow[] {
    return this.#rowsAt(this.#answers.at(-1)?.list ?? []);
  }

  /** Returns the list for which the rows stand: where they begin with an answer of ours, its originals and what came after. */
  listOf(rows: readonly SessionRow[]): readonly SessionRow[] {
    for (const answer of this.#answers.toReversed()) {
      const common = this.#common(answer, rows);
      // A rewind may end within the answer, but not before what stands for others.
      if (common === 0 || common <= answer.rows.findLastIndex((row) => typeof row !== 'number')) continue;
      const last = answer.rows[common - 1];
      const end = common === answer.rows.length ? answer.list.length : answer.list.lastIndexOf(Number(last)) + 1;
      return [...this.#rowsAt(answer.list.slice(0, end)), ...rows.slice(common)];
    }
    return rows;
  }

  /** Keeps a list, and the answer that stands for it from now on. */
  keep(list: readonly SessionRow[], answer: readonly SessionRow[]): void {
    const places = list.map((row) => this.#places.get(row) ?? this.#add(row));
    const rows = answer.map((row) => this.#places.get(row) ?? row);
    this.#answers = [...this.#answers, { rows, list: places }].slice(-keptAnswers);
  }

  #add(row: SessionRow): number {
    this.#places.set(row, this.#rows.length);
    return this.#rows.push(row) - 1;
  }

  #common(answer: Answer, rows: readonly SessionRow[]): number {
    const differs = answer.rows.findIndex((one, index) => {
      const row = rows[index];
      const kept = typeof one === 'number' ? this.#rows[one] : one;
      return row === undefined || kept === undefined || rowKey(row) !== rowKey(kept);
    });
    return differs === -1 ? answer.rows.length : differs;
  }

  #rowsAt(places: readonly number[]): readonly SessionRow[] {
    return places.flatMap((place) => this.#rows[place] ?? []);
  }
}
