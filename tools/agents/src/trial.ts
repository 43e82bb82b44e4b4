import type { Body, Exchange } from './exchange.js';
import { recorder } from './exchange.js';
import { billOf, looksOf } from './figures.js';
import type { Look } from './figures.js';
import { killGateway } from './gateway.js';
import type { Host, HostRun, Way } from './host.js';
import { askerOf, scriptedModel } from './model.js';
import { makePlace } from './place.js';
import { certificateIn, connectProxy } from './proxy.js';
import { run } from './program.js';
import type { Finished } from './program.js';
import { receiptsIn } from './receipts.js';
import type { Receipts } from './receipts.js';
import { firstPrompt, nextPrompt } from './scenarios.js';
import type { Invocation, Scenario } from './scenarios.js';

/** The outcome of a scenario with a host. */
export interface Trial {
  readonly exchanges: readonly Exchange[];
  readonly looks: readonly Look[];
  readonly bill: number;
  /** At the prices of the models. Unit: US dollars. */
  readonly usd: number;
  /** Steps of the script that were answered, of how many. */
  readonly stepsDone: number;
  readonly steps: number;
  /** Keys that a needy model looked for again, and those that it did not find so. */
  readonly looksAgain: number;
  readonly lost: number;
  readonly finished: readonly Finished[];
  readonly saved: string | undefined;
  /** The gateway's words on it. @defaultValue it ran without */
  readonly receipts?: Receipts | undefined;
}

/** An invocation longer than this is ended. Unit: milliseconds. */
const timeoutMs = 600_000;
/** Starts of one invocation that ends at condensations. */
const mostStarts = 12;

/** Runs a scenario on a host. @param plugin - the path of the built plugin; undefined for a run without */
export async function runTrial(host: Host, scenario: Scenario, plugin: string | undefined): Promise<Trial> {
  const place = await makePlace();
  const model = await scriptedModel({
    provider: host.provider,
    need: scenario.need ?? 'none',
    crash: () => killGateway(place),
    // Behind the gateway no list grows to what a host alone sends.
    tooLongFrom: scenario.way === 'gateway' ? 60_000 : undefined,
    callOf: (act, tools) => host.callOf(act, place, tools),
  });
  const proxy = scenario.isProxied === true ? await connectProxy() : undefined;
  const certificate = proxy && (await certificateIn(place.home));
  const record = await recorder(model.server.url, askerOf, certificate);
  const env: HostRun['env'] =
    proxy && certificate
      ? {
          ...{ HTTPS_PROXY: proxy.url, https_proxy: proxy.url, NODE_EXTRA_CA_CERTS: certificate.file },
          ...{ NO_PROXY: 'other.test', no_proxy: 'other.test' },
        }
      : {};
  const finished: Finished[] = [];
  const way: Way = scenario.way ?? (plugin === undefined ? 'none' : 'plugin');
  const runOf = ({ withoutPlugin, hasOtherModel = false, hasOtherKey = false }: Partial<Invocation>): HostRun => ({
    place,
    url: record.url,
    way: way === 'gateway' && withoutPlugin === true ? 'none' : way,
    plugin: way === 'plugin' && withoutPlugin !== true ? plugin : undefined,
    model: host.models[hasOtherModel ? 1 : 0],
    key: hasOtherKey ? 'another-key' : 'a-key',
    hasKeyHelper: scenario.needs === 'key helper',
    env,
    hasUrlInSettings: scenario.hasUrlInSettings === true,
    hasSubAgents: scenario.needsSubAgents === true,
  });
  try {
    let isStarted = false;
    const start = async (hostRun: HostRun) => {
      await host.prepare(hostRun);
      record.nextInvocation();
      finished.push(await run(host.start(hostRun, isStarted ? nextPrompt : firstPrompt, isStarted), timeoutMs));
      isStarted = true;
    };
    for (const invocation of scenario.invocations) {
      const { does, steps, endsAtCondensation = false } = invocation;
      const hostRun = runOf(invocation);
      if (does === 'compact') {
        await host.prepare(hostRun);
        record.nextInvocation();
        if (host.compact !== undefined) finished.push(await host.compact(hostRun));
        continue;
      }
      const condensedSoFar = () => looksOf(record.exchanges).filter(({ isCondensation }) => isCondensation).length;
      let known = condensedSoFar();
      model.begin(steps, (body) => endsAtCondensation && isSmaller(body, record.exchanges));
      await start(hostRun);
      for (let starts = 1; endsAtCondensation && model.hasStepsLeft && starts < mostStarts; starts++) {
        if (condensedSoFar() === known) break;
        known = condensedSoFar();
        await start(hostRun);
      }
    }
    const saved = scenario.comparesSaved === true ? await host.saved?.(runOf({})).catch(String) : undefined;
    return {
      exchanges: record.exchanges,
      looks: looksOf(record.exchanges),
      bill: billOf(record.exchanges),
      usd: record.exchanges.reduce((sum, { usd = 0 }) => sum + usd, 0),
      stepsDone: model.stepsDone,
      steps: scenario.invocations.reduce((sum, { steps }) => sum + steps.length, 0),
      looksAgain: model.looks,
      lost: model.lost,
      finished,
      saved,
      receipts: way === 'gateway' ? await receiptsIn(place) : undefined,
    };
  } finally {
    await record.close();
    await proxy?.close();
    await model.server.close();
    await place.remove();
  }
}

/** True for a request whose list is shorter than that of the one before: it was condensed just now. */
function isSmaller(body: Body, exchanges: readonly Exchange[]): boolean {
  const last = exchanges.findLast(({ asker }) => asker === 'main');
  return last !== undefined && JSON.stringify(body.messages).length < 0.9 * JSON.stringify(last.body.messages).length;
}
