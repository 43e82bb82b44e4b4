import type { LLM } from '@palimpsest/llm-adapters';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** `gen_ai.agent.name`, of which there are few. @defaultValue none */
  readonly agentName?: string;
  /**
   * Records what is said: instructions, messages, tool definitions, arguments and results, with the conversation's secrets masked. It is
   * as confidential as the log, and as large. @defaultValue false
   */
  readonly content?: boolean;
  /** `gen_ai.provider.name` of a model. @defaultValue what its adapter says; `openai` for compatible servers */
  readonly providerName?: (llm: LLM) => string;
  /** @defaultValue the one that is registered with the API */
  readonly tracerProvider?: { getTracer(name: string, version?: string): object };
  /** @defaultValue the one that is registered with the API */
  readonly meterProvider?: { getMeter(name: string, version?: string): object };
}
