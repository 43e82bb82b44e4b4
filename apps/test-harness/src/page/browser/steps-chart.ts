import type uPlot from 'uplot';
import type { PolicyTimeline } from '../../replay/timeline.js';
import { axis, chart } from './chart.js';
import type { Chart } from './chart.js';
import { policyColour, resolved } from './colours.js';
import { compactText } from './number-text.js';

/** What a chart of steps shows. */
export interface StepsChartOptions {
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
export function stepsChart({ none, policy, index, forgetting, current, onCall }: StepsChartOptions): Chart {
  const calls = policy.tokens.map((_, call) => call + 1);
  const text = `Tokens of each of ${calls.length} requests with ${policy.policy}, and with nothing condensed. ${forgetting.length} calls forget something: ${forgetting.map((call) => call + 1).join(', ')}.`;
  return chart(text, 260, [calls, [...none.tokens], [...policy.tokens], [...policy.cached]], () => ({
    legend: { show: false },
    padding: [18, 12, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_, _least, most) => [0, most * 1.08] } },
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
