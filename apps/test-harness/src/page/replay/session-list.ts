import { condensedSessions } from '../../replay/report.js';
import { countText, figure, h, percentText, wideTable } from '../browser/dom.js';
import type { ListedSession, SessionRun } from './session-run.js';

/** What a person can do with the list. */
export interface ListActions {
  readonly stop: () => void;
  readonly resume: () => void;
  readonly choose: (session: ListedSession) => void;
}

/** All sessions, the newest first, with what has become of each. */
export function sessionList(
  { sessions, skipped, doing }: SessionRun,
  {
    policy,
    price,
    chosen,
  }: { readonly policy: string; readonly price: number; readonly chosen: ListedSession | undefined },
  { stop, resume, choose }: ListActions,
): HTMLElement {
  const waiting = sessions.filter(({ state }) => state === 'waiting').length;
  const isIdle = doing === '';
  return h(
    'section',
    { 'aria-labelledby': 'sessions' },
    h('h2', { id: 'sessions' }, 'The sessions, the newest first'),
    !isIdle && h('button', { type: 'button', onclick: stop }, 'Stop'),
    isIdle && waiting > 0 && h('button', { type: 'button', onclick: resume }, `Replay the other ${waiting}`),
    sessions.length > 0 &&
      wideTable(
        'Table of the sessions',
        {},
        ['session', 'format', 'calls', policy === '' ? 'saved' : `saved with ${policy}`, 'state'].map((name) =>
          h('th', { scope: 'col' }, name),
        ),
        sessions.map((session) => row(session, { policy, price, isChosen: session === chosen }, choose)),
      ),
    skipped.length > 0 &&
      h(
        'details',
        { open: sessions.length === 0 },
        h('summary', {}, `Files without a session: ${skipped.length}`),
        h('ul', {}, ...skipped.map(({ file, reason }) => h('li', {}, `${file}: ${reason}`))),
      ),
  );
}

function row(
  session: ListedSession,
  { policy, price, isChosen }: { readonly policy: string; readonly price: number; readonly isChosen: boolean },
  choose: (session: ListedSession) => void,
): HTMLElement {
  const { name, format, modelCalls, state, replayed, problem } = session;
  const replay = replayed?.replays.find(({ condenser }) => condenser === policy);
  const [none] = replayed?.replays ?? [];
  const whole = none?.bills[price]?.input ?? 0;
  const paid = replay?.loops.find(({ need }) => need === 'evidence')?.costs[price];
  const isUncondensed = replayed !== undefined && condensedSessions([replayed]).length === 0;
  const saved = paid === undefined || whole === 0 || isUncondensed ? undefined : 1 - paid / whole;
  const title =
    replayed === undefined
      ? h('span', { class: 'name' }, name)
      : h(
          'button',
          { type: 'button', class: 'link name', 'aria-pressed': `${isChosen}`, onclick: () => choose(session) },
          name,
        );
  return h(
    'tr',
    { class: isChosen && 'shown' },
    h('th', { scope: 'row' }, title),
    h('td', {}, format),
    h('td', {}, figure(modelCalls, countText)),
    h('td', {}, figure(saved, percentText)),
    h('td', {}, problem !== undefined ? `failed: ${problem}` : isUncondensed ? 'nothing to condense' : states[state]),
  );
}

const states: Readonly<Record<ListedSession['state'], string>> = {
  waiting: 'waits',
  replaying: 'is replayed',
  replayed: 'replayed',
  failed: 'failed',
  'without calls': 'no call of a model',
};
