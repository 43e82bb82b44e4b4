import type { SessionTimeline } from '../../replay/timeline.js';
import type { PageData } from '../page-data.js';
import { themeSwitch } from './charts.js';
import { costSection } from './costs.js';
import { fill, h } from './dom.js';
import { headlineSection } from './headline-section.js';
import { filterBar, firstChoice, pageState } from './page-state.js';
import type { Choice } from './page-state.js';
import { sessionView } from './session-view.js';
import { sessionsSection } from './sessions-section.js';
import './page.css';

const data = readJson('page-data') as PageData;
const [only, summary, detail] = [data.index !== undefined, h('div'), h('div', { id: 'session' })];
let choice: Choice = firstChoice;
let opened: number | undefined;
let showAll = false;

function readJson(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function choose(changes: Partial<Choice>): void {
  const focused = focusPlace();
  choice = { ...choice, ...changes };
  drawSummary();
  if ('policy' in changes && opened !== undefined) drawSession();
  focused();
}

/** Keeps the focus on the control that was used. The sections are made anew at each choice. */
function focusPlace(): () => void {
  const controls = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('select, button, input')];
  const place = controls().findIndex((control) => control === document.activeElement);
  return () => {
    if (place >= 0) controls()[place]?.focus({ preventScroll: true });
  };
}

function drawSummary(): void {
  const state = pageState(data, choice);
  const bar = filterBar(state, choose);
  fill(
    summary,
    headlineSection(state, data.isSample === true ? 'The sample’s' : 'Your'),
    bar,
    !state.isUncondensed && costSection(state, choose),
    !only &&
      state.rows.length > 0 &&
      sessionsSection(state, showAll, () => {
        showAll = true;
        drawSummary();
      }),
  );
}

function drawSession(): void {
  const session = opened === undefined ? undefined : data.sessions[opened];
  const timeline = opened === undefined ? null : (readJson(`timeline-${opened}`) as SessionTimeline | null);
  if (session === undefined || timeline === null) return fill(detail);
  const { shown } = pageState(data, choice);
  const close = (): void => {
    location.hash = '#sessions';
  };
  fill(
    detail,
    sessionView({
      name: session.name,
      timeline,
      policy: shown,
      onPolicy: (policy) => choose({ policy }),
      ...(!only && { onClose: close }),
    }),
  );
}

function followHash(): void {
  const [, index] = /^#session-(\d+)$/.exec(location.hash) ?? [];
  opened = index === undefined ? (only ? 0 : undefined) : Number(index);
  drawSession();
  if (index === undefined) return;
  const heading = document.getElementById('session-name');
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

fill(
  document.getElementById('page') ?? document.body,
  h(
    'header',
    {},
    h('p', { class: 'title' }, 'Palimpsest ', h('span', {}, 'what your sessions cost')),
    data.index !== undefined && h('a', { href: data.index }, 'all sessions'),
    themeSwitch(),
  ),
  h('main', {}, summary, detail),
  h(
    'footer',
    {},
    h(
      'p',
      {},
      `Made by palimpsest-harness ${data.harness} on ${data.createdAt.slice(0, 16).replace('T', ' ')} UTC. Tokens are of the ${data.tokenUnit} vocabulary. `,
      data.redacted && 'The text and the names of the sessions are left out. ',
      'Nothing on this page is loaded from elsewhere.',
    ),
    data.skipped.length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, `Files without a session: ${data.skipped.length}`),
        h('ul', {}, ...data.skipped.map(({ file, reason }) => h('li', {}, `${file}: ${reason}`))),
      ),
  ),
);
drawSummary();
followHash();
addEventListener('hashchange', followHash);
