import { supervised } from '../server/supervisor.js';
import type { WorkerProgram } from '../server/supervisor.js';
import type { CondensingOptions } from '../server/worker-messages.js';
import { keptRoutes, namedUpstreams } from './routes.js';

/** Options of {@link serve}. */
export interface ServeOptions extends CondensingOptions {
  /** As the user writes them: `anthropic=https://api.anthropic.com`. */
  readonly upstreams: readonly string[];
  readonly port: number;
  /** The file of the gateway's process. */
  readonly program: WorkerProgram;
}

/**
 * Serves agents until a signal ends it. Prints the address that takes the place of each upstream's. Returns the exit status.
 *
 * @throws GatewayError when an upstream is none, or the port is taken
 */
export async function serve({ upstreams, program, ...options }: ServeOptions): Promise<number> {
  const routes = await keptRoutes(options.data, namedUpstreams(upstreams));
  const gateway = await supervised({
    program,
    worker: { ...options, routes },
    onReceipt: () => undefined,
    onProblem: (sentence) => void process.stderr.write(`palimpsest-gateway: ${sentence}\n`),
  });
  const width = Math.max(...routes.map(({ name }) => name.length));
  const lines = routes.map(
    ({ name, upstream, token }) => `  ${name.padEnd(width)}  ${gateway.origin}/${token}  for ${upstream}`,
  );
  process.stdout.write(`Give an agent one of these addresses, in the place of its provider's:\n${lines.join('\n')}\n`);
  const signal = new Promise<'signal'>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve('signal'));
  });
  const end = await Promise.race([signal, gateway.ended]);
  await gateway.stop();
  return end === 'signal' ? 0 : 1;
}
