import type { LLM } from '../../llm.js';

/** A call in an answer. */
export interface ScenarioToolCall {
  readonly id: string;
  /** A name with a dot, which some providers do not accept, so that it must be translated. Empty if the model gives none. */
  readonly name: string;
  /**
   * JSON text; it need not parse. Empty if the model wrote no arguments. In the last call of an answer that ended at
   * its limit, the text can be half of one, or empty: no byte of it came.
   */
  readonly arguments: string;
}

/** The provider's reaction to a request. */
export type ScenarioTurn =
  /** It answers. `reportsUsage` false: like a server that reports no usage. */
  | {
      readonly type: 'answer';
      readonly text: string;
      /** Thinking that the provider wants back unchanged. @defaultValue none */
      readonly thinking?: string;
      readonly toolCalls: readonly ScenarioToolCall[];
      readonly finishReason: 'stop' | 'tool-calls' | 'length' | 'content-filter';
      readonly reportsUsage: boolean;
    }
  /** It accepts the request and never answers. */
  | { readonly type: 'silence' }
  /** It streams this text and then sends nothing more; the connection stays open. */
  | { readonly type: 'stall'; readonly text: string }
  /** It streams this text, and then the connection is lost. */
  | { readonly type: 'cut'; readonly text: string }
  /** It refuses the key. */
  | { readonly type: 'wrong-key' }
  /** It refuses with a rate limit and asks to wait. */
  | { readonly type: 'rate-limit'; readonly retryAfterSeconds: number }
  /** The input is larger than the window. */
  | { readonly type: 'overflow' }
  /** It failed. */
  | { readonly type: 'failure' };

/** The behaviour that a test needs of the provider behind the LLM. */
export interface LLMScenario {
  /** The turns by the number of the request, from 0. The last turn also serves all later requests. */
  readonly turns: readonly ScenarioTurn[];
  /** The number of tries that the LLM may make for a request. */
  readonly attempts: number;
  /** The key to give to the LLM. The provider quotes it when it refuses it. */
  readonly apiKey: string;
}

/** An LLM to test, with the provider of a scenario behind it. */
export interface LLMUnderTest {
  /**
   * The LLM must make the scenario's number of tries with almost no wait between them. Most scenarios allow one try,
   * because a retry hides the failure.
   */
  readonly llm: LLM;
  /** The requests that have reached the provider, oldest first: parsed bodies, or any other JSON value. */
  readonly sent: () => readonly unknown[];
  /** Called when the test is over. */
  readonly dispose?: () => void | Promise<void>;
}

/**
 * The optional capabilities of an LLM. `streaming`: pieces arrive before the answer is complete. `thinking`: thinking
 * comes back and is sent again. `images`: the model reads images. `unreported-usage`: some of its providers report no
 * usage. `broken-arguments`: the provider can return arguments that are not JSON. `keys`: it has a key. `schemas`: a
 * JSON schema for the answer is enforced or requested. `tool-choice`: a request says whether tools are called.
 * `overflow`: the provider refuses a request that is too large and does not silently truncate it. `retries`: the LLM
 * retries by itself if the connection is lost. `nameless-calls`: the provider can return a call without a tool name.
 * `cut-calls`: an answer can end at its limit within a call. `content-filter`: the provider can refuse or filter an
 * answer that has calls.
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
  | 'cut-calls'
  | 'content-filter'
  | 'schemas'
  | 'tool-choice';
