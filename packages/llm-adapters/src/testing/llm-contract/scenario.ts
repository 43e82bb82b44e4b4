import type { LLM } from '../../llm.js';

/** A call in an answer. */
export interface ScenarioToolCall {
  readonly id: string;
  /** A name that needs translating where names may hold no dots; empty where the model gives none. */
  readonly name: string;
  /** JSON text; it need not parse. */
  readonly arguments: string;
}

/** What the provider does with a request. */
export type ScenarioTurn =
  /** It answers. `reportsUsage` false: as a server does that counts nothing. */
  | {
      readonly type: 'answer';
      readonly text: string;
      /** Thinking that the provider wants back unchanged. @defaultValue none */
      readonly thinking?: string;
      readonly toolCalls: readonly ScenarioToolCall[];
      readonly finishReason: 'stop' | 'tool-calls' | 'length';
      readonly reportsUsage: boolean;
    }
  /** It takes the request and says nothing. */
  | { readonly type: 'silence' }
  /** It begins to stream this text and says nothing more; the connection stays open. */
  | { readonly type: 'stall'; readonly text: string }
  /** It begins to stream this text, and the connection is lost. */
  | { readonly type: 'cut'; readonly text: string }
  /** It refuses the key. */
  | { readonly type: 'wrong-key' }
  /** It asks to wait. */
  | { readonly type: 'rate-limit'; readonly retryAfterSeconds: number }
  /** The input is larger than the window. */
  | { readonly type: 'overflow' }
  /** It failed. */
  | { readonly type: 'failure' };

/** What a test wants of the provider behind the LLM. */
export interface LLMScenario {
  /** By the number of the request, from 0; the last one is for all later requests too. */
  readonly turns: readonly ScenarioTurn[];
  /** How often the LLM may try a request in all. */
  readonly attempts: number;
  /** The key to give to the LLM. The provider quotes it where it refuses it. */
  readonly apiKey: string;
}

/** An LLM to test, with the provider of a scenario behind it. */
export interface LLMUnderTest {
  /** Tries every request as often as the scenario says and waits for next to nothing: mostly once, since a repetition hides what happened. */
  readonly llm: LLM;
  /** What has reached the provider, oldest first, as it arrived there: parsed bodies, or whatever else JSON can show. */
  readonly sent: () => readonly unknown[];
  /** Called when the test is over. */
  readonly dispose?: () => void | Promise<void>;
}

/**
 * What not every LLM has. `streaming`: pieces arrive before the answer is complete. `thinking`: thinking comes back and is sent
 * again. `images`: the model reads images. `unreported-usage`: there are providers behind it that count nothing.
 * `broken-arguments`: the provider can hand out arguments that are no JSON. `keys`: it has a key.
 * `schemas`: answers are held to a JSON schema, or asked to be. `tool-choice`: a request says whether tools are called.
 * `overflow`: the provider refuses what is too large, and does not quietly read less of it. `retries`: it asks again by itself
 * when the connection is lost. `nameless-calls`: the provider can hand out a call that names no tool.
 */
export type LLMFeature =
  | 'streaming'
  | 'thinking'
  | 'images'
  | 'unreported-usage'
  | 'broken-arguments'
  | 'keys'
  | 'overflow'
  | 'retries'
  | 'nameless-calls'
  | 'schemas'
  | 'tool-choice';
