import { condensedSessions, tokenUnit } from '../../replay/report.js';
import { themeSwitch } from '../browser/charts.js';
import { costSection } from '../browser/costs.js';
import { fill, h } from '../browser/dom.js';
import { headlineSection } from '../browser/headline-section.js';
import { firstChoice, pageState } from '../browser/page-state.js';
import type { Choice } from '../browser/page-state.js';
import { sessionView } from '../browser/session-view.js';
import type { PageData } from '../page-data.js';
import { givenFile, inputSection } from './input-section.js';
import { resultTable } from './result-section.js';
import { sessionList } from './session-list.js';
import { largestFile, sessionRunner } from './session-run.js';
import type { ListedSession, SessionRun } from './session-run.js';
import { sizesSection } from './sizes-section.js';
import { storedJson, unpacked } from './stored.js';
import { threadOf } from './thread.js';
import './replay.css';

const sampleData = storedJson('sample-result') as PageData;
const [result, list, chosenPlace, status] = [h('div'), h('div'), h('div'), h('p', { role: 'status', class: 'note' })];
let choice: Choice = firstChoice;
let chosen: ListedSession | undefined;
let isSample = true;

const runner = sessionRunner(
  threadOf(() => unpacked('program')),
  sampleRun(),
  draw,
);

/** The ready-made result. A session of it is unpacked when it is replayed with other sizes. */
function sampleRun(): SessionRun {
  const { sessions, priced } = sampleData;
  const listed = sessions.map((replayed, position): ListedSession => {
    const open = async (): Promise<Blob> =>
      new Blob([(JSON.parse(await unpacked('sample')) as string[])[position] ?? '']);
    const { name, format } = replayed;
    const modelCalls = replayed.replays[0]?.modelCalls ?? 0;
    const file = givenFile(name, 0, open);
    return { index: 0, name, format, modelCalls, models: new Map(), file, state: 'replayed', replayed };
  });
  return { sessions: listed, skipped: [], priced, doing: '' };
}

/** The sessions that are replayed so far. Those in which nothing was condensed are only counted, unless there are no others. */
function dataOf({ sessions, skipped, priced }: SessionRun): PageData {
  const replayed = sessions.flatMap((session) => session.replayed ?? []);
  const condensed = condensedSessions(replayed);
  const counted = condensed.length === 0 ? replayed : condensed;
  return {
    ...sampleData,
    priced,
    skipped,
    skippedFiles: skipped.length,
    sessions: counted,
    uncondensed: replayed.length - counted.length,
  };
}

function choose(changes: Partial<Choice>): void {
  choice = { ...choice, ...changes };
  draw();
}

/** Shows the run as it is now. The focus stays on the control that has it. */
function draw(): void {
  const { run } = runner;
  const state = pageState(dataOf(run), choice);
  const { price } = state;
  if (chosen === undefined || !run.sessions.includes(chosen)) {
    chosen = run.sessions.find(({ replayed }) => replayed !== undefined);
    drawChosen(price);
  }
  fill(status, run.doing);
  keepingFocus(result, () => {
    const isOpen = result.querySelector('details')?.open ?? false;
    fill(
      result,
      isSample &&
        h(
          'p',
          { class: 'tag sample' },
          'This is the sample: a long session that a program made, and a short one of our own agent.',
        ),
      state.rows.length > 0 && headlineSection(state, isSample ? 'The sample’s' : 'Your'),
      !state.isUncondensed && resultTable(state, choose),
      !state.isUncondensed &&
        h('details', { class: 'all', open: isOpen }, h('summary', {}, 'All figures'), costSection(state, choose)),
    );
  });
  keepingFocus(list, () => {
    const actions = { stop: runner.stop, resume: () => void runner.resume(), choose: chooseSession };
    fill(list, sessionList(run, { policy: state.row?.condenser ?? '', price, chosen }, actions));
  });
}

function chooseSession(session: ListedSession): void {
  chosen = session;
  drawChosen(choice.price);
  draw();
}

function drawChosen(price: number): void {
  const session = chosen;
  if (session === undefined) return fill(chosenPlace);
  const steps = h('div', { id: 'session' });
  const showSteps = async (): Promise<void> => {
    fill(steps, h('p', { role: 'status', class: 'note' }, 'Replaying the session …'));
    const timeline = (await runner.wish(session, undefined))?.timeline;
    const show = (policy: number): void => {
      if (timeline === undefined)
        return fill(steps, h('p', { role: 'status', class: 'note' }, 'The replay was given up.'));
      fill(steps, sessionView({ name: `${session.name}, call by call`, timeline, policy, onPolicy: show }));
    };
    show(pageState(dataOf(runner.run), choice).shown);
  };
  fill(
    chosenPlace,
    sizesSection({ session, price, replay: (sizes) => runner.wish(session, sizes) }),
    h('p', {}, h('button', { type: 'button', onclick: () => void showSteps() }, 'Show the session call by call')),
    steps,
  );
}

/** Makes what an element holds anew, and gives the focus back to the control at the same place. */
function keepingFocus(element: HTMLElement, redraw: () => void): void {
  const controls = (): HTMLElement[] => [
    ...element.querySelectorAll<HTMLElement>('button, select, summary, [tabindex]'),
  ];
  const place = controls().findIndex((control) => control === document.activeElement);
  redraw();
  if (place >= 0) controls()[place]?.focus({ preventScroll: true });
}

fill(
  document.getElementById('page') ?? document.body,
  h(
    'header',
    {},
    h('h1', { class: 'title' }, 'Palimpsest ', h('span', {}, 'what it would save on your sessions')),
    themeSwitch(),
  ),
  h(
    'main',
    {},
    inputSection(
      (files) => {
        [isSample, chosen] = [false, undefined];
        void runner.take(files);
      },
      () => {
        isSample = true;
        chosen = undefined;
        runner.show(sampleRun());
      },
    ),
    status,
    result,
    list,
    chosenPlace,
  ),
  h(
    'footer',
    {},
    h(
      'p',
      {},
      'Nothing leaves this page: its content security policy allows no connection, and it works without a network. ',
      `A file may have at most ${largestFile / 1e6} MB; one file and one session at a time are in memory. `,
      `Made by palimpsest-harness ${sampleData.harness}. Tokens are of the ${tokenUnit} vocabulary.`,
    ),
  ),
);
draw();
