import type { Instrumentation } from '@palimpsest/agent';

/** Under which the API of OpenTelemetry keeps what an SDK has registered, whatever copy of the API it was. */
const registered = Symbol.for('opentelemetry.js.api.1');

/**
 * Makes spans and metrics of the agent's work if an SDK of OpenTelemetry was loaded before the program, by `node --import`. Otherwise
 * nothing is loaded. What is said is not recorded.
 */
export async function telemetry(): Promise<Instrumentation | undefined> {
  const api = (globalThis as { readonly [registered]?: { readonly trace?: unknown; readonly metrics?: unknown } })[
    registered
  ];
  if (api?.trace === undefined && api?.metrics === undefined) return undefined;
  const { openTelemetry } = await import('@palimpsest/agent/opentelemetry');
  return openTelemetry({ agentName: 'palimpsest' });
}
