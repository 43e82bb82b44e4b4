import type { MeasureComparison } from './compare-measure.js';
import type { ArmComparison, TaskChange } from './comparison.js';
import type { MeasureName } from './measures.js';

/** Words of a measure: its name, and what it is where it is a loss and where it is a gain. */
interface MeasureWords {
  readonly name: string;
  readonly worse: string;
  readonly better: string;
}

/** The words of each measure. */
export const measureWords: Readonly<Record<MeasureName, MeasureWords>> = {
  solved: { name: 'solved', worse: 'solves fewer', better: 'solves more' },
  cost: { name: 'cost', worse: 'costs more', better: 'costs less' },
  steps: { name: 'steps', worse: 'takes more steps', better: 'takes fewer steps' },
  rereads: { name: 're-read tokens', worse: 'reads more again', better: 'reads less again' },
  'refused-edits': { name: 'refused edits', worse: 'has more edits refused', better: 'has fewer edits refused' },
  time: { name: 'wall time', worse: 'takes longer', better: 'is done sooner' },
};

/** Returns a mean of a measure. */
export function valueText(measure: MeasureName, value: number): string {
  switch (measure) {
    case 'solved':
      return `${(100 * value).toFixed(1)} %`;
    case 'cost':
      return `$${value.toFixed(value < 0.995 ? 4 : 2)}`;
    case 'time':
      return `${(value / 1_000).toFixed(0)} s`;
    case 'rereads':
      return value.toFixed(0);
    default:
      return value.toFixed(1);
  }
}

/** Returns a difference of a measure, with its sign. */
export function differenceText({ measure, by }: MeasureComparison, difference: number): string {
  const sign = difference === 0 ? '' : difference < 0 ? '−' : '+';
  const size = Math.abs(difference);
  if (by === 'rate') return `${sign}${(100 * size).toFixed(1)} points`;
  return `${sign}${by === 'ratio' ? `${(100 * size).toFixed(1)} %` : valueText(measure, size)}`;
}

/** Returns the 95 % interval of a difference, with a dash where there is none. */
export function intervalText(compared: MeasureComparison): string {
  const { interval } = compared;
  if (interval === undefined) return '–';
  const [low, high] = [differenceText(compared, interval.low), differenceText(compared, interval.high)];
  const unit = / (%|points)$/.exec(high)?.[0] ?? '';
  return `${low.slice(0, low.length - unit.length)} to ${high}`;
}

/** Returns what was seen of a measure. */
export function verdictText({ measure, verdict, moreTasks, difference }: MeasureComparison): string {
  if (verdict !== 'unseen') return measureWords[measure][verdict];
  if (moreTasks !== undefined) {
    const tasks = `${moreTasks} more ${moreTasks === 1 ? 'task' : 'tasks'}`;
    return `No difference could be seen: ${tasks} would be needed`;
  }
  return difference === 0 ? 'No difference' : 'No difference could be seen';
}

/** Returns the sentences of what an arm loses, the most important first, and of what is not ruled out. */
export function lossTexts(comparison: ArmComparison, beside: string): readonly string[] {
  const { arm, measures, lost, won } = comparison;
  const worse = measures.filter(({ verdict }) => verdict === 'worse');
  const solved = measures.find(({ measure }) => measure === 'solved');
  const low = solved?.interval?.low ?? 0;
  const cost = measures.find(({ measure, verdict }) => measure === 'cost' && verdict === 'better');
  return [
    ...worse.map((measure) => `${arm} ${seenText(measure)} than ${beside}.`),
    ...(lost.length > 0
      ? [`${arm} solves ${tasksText(lost)} less often, and ${won.length} more often: ${changesText(lost)}.`]
      : []),
    ...(solved?.verdict === 'unseen' && low < 0
      ? [`That ${arm} solves up to ${(-100 * low).toFixed(1)} points fewer is not ruled out.`]
      : []),
    ...(solved?.difference === 0 && solved.interval === undefined
      ? [
          `All ${solved.tasks} tasks ended alike: that ${arm} loses up to ${lossBeside(solved.tasks)} % of tasks is not ruled out.`,
        ]
      : []),
    ...(cost?.isAgainstSum === true
      ? [`${arm} costs less in the typical task, but all runs together cost more than with ${beside}.`]
      : []),
  ];
}

function seenText(compared: MeasureComparison): string {
  const { measure, difference, probability, interval } = compared;
  const chance = probability === undefined ? '' : `, p ${probability < 0.001 ? '< 0.001' : probability.toFixed(3)}`;
  const bounds = interval === undefined ? '' : `, 95 % interval ${intervalText(compared)}`;
  return `${measureWords[measure].worse} (${differenceText(compared, difference)}${bounds}${chance})`;
}

/** The share of lost tasks at which one experiment in twenty would still lose none. Unit: per cent. */
function lossBeside(tasks: number): string {
  return (100 * (1 - 0.05 ** (1 / tasks))).toFixed(0);
}

function changeText({ task, without, within }: TaskChange): string {
  return `${task} (${without.join('/')} → ${within.join('/')})`;
}

/** The most tasks that are named. */
const mostNamed = 10;

function changesText(changes: readonly TaskChange[]): string {
  const more = changes.length - mostNamed;
  return [...changes.slice(0, mostNamed).map(changeText), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function tasksText({ length }: readonly TaskChange[]): string {
  return length === 1 ? '1 task' : `${length} tasks`;
}
