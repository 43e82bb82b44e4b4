import { InMemorySpanExporter, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { Agent, Conversation } from '@palimpsest/agent';
import type { Instrumentation } from '@palimpsest/agent';
import { openTelemetry } from '@palimpsest/agent/opentelemetry';
import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import { cpuClock, measure, rowsOf } from './measure.js';
import type { Row, Subject } from './measure.js';

const steps = 200;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.number() }),
  execute: ({ at }) => `Seen: ${at}.`,
});

/** What is observed costs, by step of a scripted model and a tool in memory. Floor: nobody observes. */
export async function telemetry(): Promise<readonly Row[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  const idle = await openTelemetry();
  const told = await openTelemetry({ tracerProvider: provider });
  const timings = await measure(
    run('no instrumentation'),
    [
      run('no instrumentation, once more: the noise'),
      run('openTelemetry, no SDK', idle),
      run('openTelemetry, SDK 2 in batches', told, () => exporter.reset()),
    ],
    15,
    cpuClock,
  );
  await provider.shutdown();
  return rowsOf(`a run of ${steps} steps, to one that nobody observes`, timings);
}

function run(name: string, instrumentation?: Instrumentation, after: () => void = () => undefined): Subject {
  return {
    name,
    run: async () => {
      const script = Array.from({ length: steps }, (_, at) => ({ toolCalls: [{ name: 'look', arguments: { at } }] }));
      const llm = scriptedLLM({ script: [...script, 'Done.'] });
      const observed = instrumentation === undefined ? {} : { instrumentation };
      const agent = new Agent({ llm, tools: [look], ...observed });
      const conversation = await Conversation.open({ agent });
      await conversation.send('Look around.');
      const { iterations } = await conversation.run();
      if (iterations !== steps + 1) throw new Error(`the run took ${iterations} steps`);
      after();
    },
  };
}
