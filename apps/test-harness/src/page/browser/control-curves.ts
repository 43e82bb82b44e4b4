import type { ControlPoint, Controls } from '../../measure/controls.js';
import type { Prices } from '../../measure/money.js';
import type { ReplayedSession } from '../../replay/replay-report.js';

/** A point of a control over several sessions. */
export interface PooledPoint {
  /** Of all raw tokens. */
  readonly share: number;
  /** What the requests cost, in the unit of the prices; rates for long prompts are left out. */
  readonly bill: number;
  readonly recall: number;
}

/** The curve of a control over the sessions: tokens, bills and evidence are summed at each of its sizes. */
export function pooledCurve(
  sessions: readonly ReplayedSession[],
  control: keyof Controls,
  prices: Prices,
): readonly PooledPoint[] {
  const sizes = sessions[0]?.controls[control].length ?? 0;
  return Array.from({ length: sizes }, (_, size) => {
    let [raw, sent, bill, seen, used] = [0, 0, 0, 0, 0];
    for (const { controls, replays } of sessions) {
      const point: ControlPoint | undefined = controls[control][size];
      const [none] = replays;
      if (point === undefined || none === undefined) continue;
      raw += none.tokensSent;
      sent += point.share * none.tokensSent;
      bill += none.tokensSent * (prices.cacheRead * point.cached + prices.cacheWrite * (point.share - point.cached));
      seen += point.recall * none.memory.all.whole;
      used += none.memory.all.whole;
    }
    return { share: raw === 0 ? 0 : sent / raw, bill, recall: used === 0 ? 1 : seen / used };
  });
}
