import { llmByName } from '@palimpsest/llm-adapters/by-name';
import { alignedTable, coloursFor, linePrinter, printableJson } from '@palimpsest/terminal';
import { readSessions } from '../../import/index.js';
import { agreementIn, agreementRows } from '../../live/agreement/agreement.js';
import type { AgreementPoint, AgreementRow } from '../../live/agreement/agreement.js';
import { parsePolicies } from '../../replay/policy.js';
import { interruptedStatus, untilInterrupted } from '../interrupt.js';
import { progress } from '../progress.js';

/** Options of `palimpsest-harness agreement`, as the command line gives them. */
export interface AgreementCommandOptions {
  readonly model: string;
  readonly baseUrl?: string;
  readonly condenser: readonly string[];
  readonly config: readonly string[];
  /** In each session. */
  readonly points: number;
  readonly seed: number;
  /** Unit: USD. */
  readonly budget?: number;
  readonly json: boolean;
}

/** The condensers that are compared if none is named. */
const usual: readonly string[] = ['priced:preset=balanced', 'amortizedForgetting:maxTokens=20000'];

/**
 * Asks a model for its next action at points of recorded sessions, and prints how often it is the recorded one. Resolves to the exit status.
 *
 * @throws the errors of reading the logs, of making condensers, and of the model
 */
export async function agreementCommand(paths: readonly string[], options: AgreementCommandOptions): Promise<number> {
  const { condenser, config, points, seed, budget = Infinity, json } = options;
  const isNamed = condenser.length + config.length > 0;
  const policies = await parsePolicies({ condenser: isNamed ? condenser : usual, config });
  const llm = await llmByName(options.model, { baseURL: options.baseUrl });
  const found: AgreementPoint[] = [];
  const shown = progress();
  let [calls, costUsd] = [0, 0];
  let isCut = false;
  await untilInterrupted(async (signal) => {
    const onCall = (cost: number | undefined): void => {
      calls++;
      costUsd += cost ?? 0;
      shown.update(`${found.length} points, ${calls} calls, $${costUsd.toFixed(2)}`);
    };
    try {
      for (const path of paths) {
        for await (const session of readSessions(path, { signal })) {
          for await (const point of agreementIn(session, { llm, policies, points, seed, signal, onCall })) {
            found.push(point);
            isCut = costUsd >= budget;
            if (isCut) return;
          }
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      isCut = true;
    }
  }).finally(() => shown.stop());
  const rows = agreementRows(found);
  await linePrinter(process.stdout)(
    json ? printableJson({ model: options.model, calls, costUsd, rows, points: found }) : textOf(rows),
  );
  if (isCut) shown.line('Not all points were asked.');
  return isCut && costUsd < budget ? interruptedStatus : 0;
}

function textOf(rows: readonly AgreementRow[]): string {
  const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`);
  const cells = rows.map(({ policy, points, condensed, sameTool, sameTarget, lost, won }) => [
    policy,
    String(lost),
    String(won),
    String(points),
    String(condensed),
    share(sameTool, points),
    share(sameTarget, points),
  ]);
  const head = ['next action', 'lost', 'won', 'points', 'condensed', 'same tool', 'same target'];
  return [
    alignedTable([head, ...cells], coloursFor(process.stdout).bold),
    '',
    'Same target: the first call of the model is one that was recorded, with the same tool on the same file or command. Lost: it was so without',
    'condensation, and is not with it. A model also differs from itself: compare lost with won.',
  ].join('\n');
}
