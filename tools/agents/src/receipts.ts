import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gatewayFile } from './gateway.js';
import type { Need } from './model.js';
import type { Place } from './place.js';
import type { Trial } from './trial.js';

/** The gateway's words on a run. Unit: US dollars. */
export interface Receipts {
  readonly actual: number;
  /** Without the gateway, if all that came back is its fault. */
  readonly control: number;
  readonly condensations: number;
}

interface Amount {
  readonly usd?: number;
}

/** Asks the gateway for the receipts of a place's agent. */
export async function receiptsIn({ home }: Place): Promise<Receipts> {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [gatewayFile, 'report', '--json'], {
    ...{ env, maxBuffer: 64 * 1024 * 1024 },
  });
  const { total } = JSON.parse(stdout) as {
    readonly total: {
      readonly actual: Amount;
      readonly control: { readonly least: Amount };
      readonly condensations: number;
    };
  };
  const { actual, control, condensations } = total;
  return { actual: actual.usd ?? 0, control: control.least.usd ?? 0, condensations };
}

/** So far may receipts be from the truth. */
const tolerance = 0.01;
/** So far are two runs of one script from each other: their lists hold times and ids. */
const noise = 0.001;

/**
 * Compares the receipts of a run with what its provider counted, and with a run without the gateway. Where the model repeats its calls exactly,
 * they have to say what that run cost; where it varies them, no more than that has been saved.
 *
 * @param control - the run without the gateway, of the same script. @defaultValue none was made
 */
export function receiptProblems({ receipts, usd }: Trial, need: Need, control: Trial | undefined): readonly string[] {
  if (receipts === undefined) return [];
  const said = (amount: number) => `$${amount.toFixed(4)}`;
  const isFar = (one: number, other: number) => Math.abs(one - other) > tolerance * other;
  const problems = isFar(receipts.actual, usd)
    ? [`receipts of ${said(receipts.actual)}, where the provider counted ${said(usd)}`]
    : [];
  if (control === undefined) return problems;
  const words = `receipts say ${said(receipts.control)} without the gateway, where it was ${said(control.usd)}`;
  const isWrong =
    need === 'varying' ? receipts.control > (1 + noise) * control.usd : isFar(receipts.control, control.usd);
  return isWrong ? [...problems, words] : problems;
}
