import { MissingPackageError } from '../errors.js';
import type { Instrumentation } from '../instrumentation.js';
import type { OpenTelemetryOptions } from './options.js';

/**
 * Makes spans and metrics of the work of an agent, by the GenAI conventions of OpenTelemetry: `invoke_agent`, `chat` and `execute_tool`
 * spans, and `step` and `condense` spans of ours between them. What runs inside has them as its parents: requests over HTTP, the spans
 * of tools. Without a registered SDK it does next to nothing.
 *
 * @throws {@link MissingPackageError} when `@opentelemetry/api`, an optional peer, is not installed.
 *
 * @example
 * ```ts
 * const agent = new Agent({ llm, instrumentation: await openTelemetry() });
 * ```
 */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Instrumentation> {
  // The only file that is loaded without the API: who installs none can still load the entry.
  const { telemetryOver } = await import('./run.js').catch((cause: unknown) => {
    throw new MissingPackageError('@opentelemetry/api', cause);
  });
  return telemetryOver(options);
}
