import { reasonText } from '@palimpsest/view/inspect';
import type uPlot from 'uplot';
import type { PolicyTimeline, SessionTimeline } from '../../replay/timeline.js';
import { axis, chart, policyColour, resolved } from './charts.js';
import type { Chart } from './charts.js';
import { compactText, countedText, countText, figure, fill, h, labelledSelect, percentText } from './dom.js';
import { itemList, stepsOf } from './item-list.js';
import type { ItemState } from './item-list.js';

/** The input of the view of a session. */
export interface SessionViewOptions {
  readonly name: string;
  readonly timeline: SessionTimeline;
  /** The index of the policy. */
  readonly policy: number;
  readonly onPolicy: (policy: number) => void;
  readonly onClose?: () => void;
}

/** Shows a session call by call: what the model would have read, what was forgotten, masked or summarised, and why. */
export function sessionView(options: SessionViewOptions): HTMLElement {
  const { timeline, name } = options;
  const [none] = timeline.policies;
  const policy = timeline.policies[options.policy] ?? none;
  if (none === undefined || policy === undefined || policy.tokens.length === 0)
    return h('section', {}, h('h2', {}, name), h('p', {}, 'This session has no model call.'));
  const steps = stepsOf(timeline, policy);
  const last = policy.tokens.length - 1;
  // The first call that forgets something.
  let call = steps.forgetting[0] ?? last;

  const position = h('output', { class: 'position', 'aria-live': 'polite' });
  const slider = h('input', { type: 'range', min: 1, max: last + 1, step: 1, 'aria-label': 'Model call' });
  const happened = h('div', { class: 'happened' });
  const list = h('div', {
    class: 'items',
    tabindex: 0,
    role: 'region',
    'aria-label': 'What the model reads at this call',
  });
  const why = reasonOf(policy, none, timeline);
  const plot = stepsChart({
    none,
    policy,
    index: options.policy,
    forgetting: steps.forgetting,
    current: () => call,
    onCall: (chosen) => goTo(chosen),
  });

  const goTo = (chosen: number): void => {
    call = Math.max(0, Math.min(last, chosen));
    slider.value = `${call + 1}`;
    fill(position, ...positionText(none, policy, call));
    fill(happened, ...happenedAt(policy, timeline, call, list));
    fill(list, ...itemList({ timeline, steps, call, why }));
    const changed = list.querySelector('.gap.new, .item-stub.new, .item-summary.new');
    list.scrollTop = changed instanceof HTMLElement ? changed.offsetTop - list.offsetTop - 40 : list.scrollHeight;
    plot.redraw();
  };
  const toForgetting = (direction: 1 | -1): void => {
    const found =
      direction === 1 ? steps.forgetting.find((each) => each > call) : steps.forgetting.findLast((each) => each < call);
    if (found !== undefined) goTo(found);
  };
  slider.addEventListener('input', () => goTo(Number(slider.value) - 1));
  const button = (text: string, label: string, onclick: () => void): HTMLElement =>
    h('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);

  const section = h(
    'section',
    { class: 'session', 'aria-labelledby': 'session-name' },
    h('h2', { id: 'session-name', tabindex: -1 }, name),
    h(
      'div',
      { class: 'filters' },
      labelledSelect(
        'Policy',
        timeline.policies.map((each, index) => [`${index}`, each.policy]),
        `${options.policy}`,
        (value) => options.onPolicy(Number(value)),
      ),
      options.onClose !== undefined && h('button', { type: 'button', onclick: options.onClose }, 'Close'),
    ),
    plot.element,
    h(
      'p',
      { class: 'note' },
      h('span', { class: `dot dot-${options.policy % 9}` }, options.policy),
      policy.policy,
      ' ',
      h('span', { class: 'key key-cached' }, 'of it from the cache'),
      ' ',
      h('span', { class: 'key key-none' }, 'nothing condensed'),
      ' ',
      h('span', { class: 'key key-forgotten' }, 'something is forgotten'),
      ' ',
      h('span', { class: 'key key-missed' }, 'something forgotten was needed'),
    ),
    h(
      'div',
      { class: 'stepper', role: 'group', 'aria-label': 'Step through the calls' },
      button('«', 'The condensation before', () => toForgetting(-1)),
      button('‹', 'The call before', () => goTo(call - 1)),
      slider,
      button('›', 'The next call', () => goTo(call + 1)),
      button('»', 'The next condensation', () => toForgetting(1)),
    ),
    position,
    happened,
    h('h3', {}, 'What the model would have read'),
    list,
    h(
      'p',
      { class: 'note keys' },
      'Keys: ← and → step, Shift with them goes to condensations, Home and End to the ends.',
    ),
  );
  section.addEventListener('keydown', (event) => {
    const { target } = event;
    if (target instanceof HTMLSelectElement || event.altKey || event.ctrlKey || event.metaKey) return;
    const act: Record<string, (() => void) | undefined> = {
      ArrowLeft: () => (event.shiftKey ? toForgetting(-1) : goTo(call - 1)),
      ArrowRight: () => (event.shiftKey ? toForgetting(1) : goTo(call + 1)),
      ...(target === list ? {} : { Home: () => goTo(0), End: () => goTo(last) }),
    };
    const chosen = act[event.key];
    if (chosen === undefined) return;
    event.preventDefault();
    chosen();
  });
  goTo(call);
  return section;
}

function positionText(none: PolicyTimeline, policy: PolicyTimeline, call: number): readonly (HTMLElement | string)[] {
  const [tokens, raw, cached] = [policy.tokens[call] ?? 0, none.tokens[call] ?? 0, policy.cached[call] ?? 0];
  return [
    h('strong', {}, 'Call ', figure(call + 1, countText), ` of ${countText(policy.tokens.length)}`),
    ': ',
    figure(tokens, countText),
    ` tokens, ${percentText(tokens === 0 ? 0 : cached / tokens)} of them from the cache`,
    ...(policy === none ? [] : [`; ${countText(raw)} with nothing condensed`]),
    '.',
  ];
}

/** Says what was decided before a call, and what the call needed and was not shown. */
function happenedAt(
  policy: PolicyTimeline,
  timeline: SessionTimeline,
  call: number,
  list: HTMLElement,
): readonly HTMLElement[] {
  const lines = policy.condensations
    .filter((each) => each.call === call)
    .map(({ condenser, stage, reason, forgotten, masked, tokensBefore, tokensAfter }) => {
      const what = [
        forgotten > 0 ? `forgot ${countedText(forgotten, 'item')}` : '',
        masked > 0 ? `masked ${countedText(masked, 'item')}` : '',
      ].filter((text) => text !== '');
      const sizes =
        tokensBefore === undefined || tokensAfter === undefined
          ? ''
          : ` From ${countText(tokensBefore)} to ${countText(tokensAfter)} tokens by its estimate.`;
      return h(
        'p',
        { class: 'condensation' },
        h('strong', {}, stage === undefined || stage === condenser ? condenser : `${condenser} (${stage})`),
        ` ${what.join(' and ') || 'decided that nothing can be forgotten'}${reason === undefined ? '' : `, because ${reasonText(reason)}`}.${sizes}`,
      );
    });
  const errors = policy.errors
    .filter((each) => each.call === call)
    .map(({ message }) => h('p', { class: 'missed' }, `The condenser failed${message === '' ? '' : `: ${message}`}`));
  const faults = policy.faults
    .filter((fault) => fault.call === call)
    .map(({ item, kinds }) => {
      const { kind, tool } = timeline.items[item] ?? {};
      const goTo = (): void => unfold(list, timeline, item);
      return h(
        'p',
        { class: 'missed' },
        `This call took ${[...new Set(kinds)].join(' and ')} text from an old ${kind ?? 'item'}, which it would not have seen: `,
        h(
          'button',
          { type: 'button', class: 'link', onclick: goTo },
          `#${item}${tool === undefined ? '' : ` ${tool}`}`,
        ),
      );
    });
  return [...lines, ...errors, ...faults];
}

/** Opens the fold that holds an item, and the item. */
function unfold(list: HTMLElement, timeline: SessionTimeline, item: number): void {
  const find = (): HTMLElement | undefined =>
    [...list.querySelectorAll<HTMLElement>('[data-item]')].find((row) => {
      const id = Number(row.dataset['item']);
      return id === item || timeline.items[id]?.of === item;
    });
  for (const gap of list.querySelectorAll<HTMLDetailsElement>('.gap')) {
    if (find() !== undefined) break;
    gap.open = true;
    // The event that makes the rows comes later.
    gap.dispatchEvent(new Event('toggle'));
    if (find() === undefined) gap.open = false;
  }
  const row = find();
  if (row instanceof HTMLDetailsElement) row.open = true;
  row?.scrollIntoView({ block: 'center' });
  row?.querySelector('summary')?.focus();
}

/** Says why an item is hidden or masked: by the condensation of that call, or by a condenser that shows only a part. */
function reasonOf(
  policy: PolicyTimeline,
  none: PolicyTimeline,
  timeline: SessionTimeline,
): (item: number, state: ItemState) => string {
  const unsent = stepsOf(timeline, none);
  return (item, { shown, since }) => {
    if (shown === 'hidden' && unsent.statesAt(since)[item]?.shown === 'hidden')
      return 'not sent: it has no pair that a provider accepts';
    const made = policy.condensations.filter(
      ({ call, forgotten, masked }) => call === since && (shown === 'stub' ? masked : forgotten) > 0,
    );
    const verb = shown === 'stub' ? 'masked' : 'forgotten';
    if (made.length === 0) return `${verb} at call ${since + 1} by ${policy.policy}`;
    const by = made.map(
      ({ condenser, reason }) => `${condenser}${reason === undefined ? '' : ` (${reasonText(reason)})`}`,
    );
    return `${verb} at call ${since + 1} by ${[...new Set(by)].join(', ')}`;
  };
}

interface StepsChartOptions {
  readonly none: PolicyTimeline;
  readonly policy: PolicyTimeline;
  /** The index of the policy, for its colour. */
  readonly index: number;
  /** Calls before which something was forgotten. */
  readonly forgetting: readonly number[];
  /** The call that is looked at. */
  readonly current: () => number;
  readonly onCall: (call: number) => void;
}

/** Tokens of each request with the policy and without, with a mark at each condensation; a click goes to the call. */
function stepsChart({ none, policy, index, forgetting, current, onCall }: StepsChartOptions): Chart {
  const calls = policy.tokens.map((_, call) => call + 1);
  const text = `Tokens of each of ${calls.length} requests with ${policy.policy}, and with nothing condensed. ${forgetting.length} calls forget something: ${forgetting.map((call) => call + 1).join(', ')}.`;
  return chart(text, 260, [calls, [...none.tokens], [...policy.tokens], [...policy.cached]], () => ({
    padding: [18, 12, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { y: { range: (_, _least, most) => [0, most * 1.08] } },
    axes: [
      axis('model call', String, { space: 60, size: 34 }),
      axis('tokens of the request', compactText, { size: 62 }),
    ],
    series: [
      {},
      { stroke: resolved('--muted'), width: 1.5, dash: [4, 4], points: { show: false } },
      { stroke: policyColour(index), width: 2, points: { show: false } },
      { stroke: 'transparent', fill: resolved('--cached'), points: { show: false } },
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, forgetting, policy, current())],
      ready: [
        (plot) =>
          plot.over.addEventListener('click', () => {
            const { idx } = plot.cursor;
            if (typeof idx === 'number') onCall(idx);
          }),
      ],
    },
  }));
}

function drawMarks(plot: uPlot, forgetting: readonly number[], { faults }: PolicyTimeline, current: number): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  ctx.save();
  ctx.setLineDash([]);
  ctx.fillStyle = resolved('--forgotten');
  for (const call of forgetting) {
    const x = plot.valToPos(call + 1, 'x', true);
    ctx.globalAlpha = 0.35;
    ctx.fillRect(x - ratio / 2, bbox.top, ratio, bbox.height);
    ctx.globalAlpha = 1;
    ctx.beginPath();
    ctx.moveTo(x - 5 * ratio, bbox.top - 10 * ratio);
    ctx.lineTo(x + 5 * ratio, bbox.top - 10 * ratio);
    ctx.lineTo(x, bbox.top - ratio);
    ctx.fill();
  }
  ctx.fillStyle = resolved('--missed');
  for (const call of new Set(faults.map((fault) => fault.call))) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(call + 1, 'x', true), bottom - 5 * ratio, 3.5 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.fillStyle = resolved('--ink');
  ctx.fillRect(plot.valToPos(current + 1, 'x', true) - ratio, bbox.top, 2 * ratio, bbox.height);
  ctx.restore();
}
