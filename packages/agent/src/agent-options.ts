import type { CreateEvent, MessageEvent, Tool, ToolCall, ToolDefinition } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import type { ConfirmationPolicy, SecurityRisk } from './confirmation.js';
import type { Hooks } from './hooks.js';
import type { Instrumentation } from './instrumentation.js';
import type { CacheDriftReport, CacheWatch } from './model/cache-watch.js';
import type { SentPrompts } from './model/sent-prompts.js';
import type { Toolset } from './tool-calls/call.js';
import type { OutputLimit } from './tool-calls/output.js';
import type { AskedOfModel, CallWithFields } from './tool-calls/requested-fields.js';

/** Options of an `Agent`. */
export interface AgentOptions {
  readonly llm: LLM;
  /** The instructions. A conversation appends them to its log when it starts. @defaultValue none */
  readonly systemPrompt?: string;
  /** @defaultValue none */
  readonly tools?: readonly Tool[];
  /** Called once before each model call. @defaultValue none: the whole history is sent */
  readonly condenser?: Condenser;
  /**
   * The time limit of the condenser for one decision, unless its own deadline is longer: a condenser that hangs does not hang a
   * run. Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000
   */
  readonly condenserTimeoutMs?: number;
  /** The options with which the view is rendered into messages. @defaultValue the defaults of the view, without labels */
  readonly render?: RenderOptions;
  /**
   * Returns the messages that the model must read beside the user's words and is not shown now: workspace context, rules,
   * skills. A conversation calls it after each message of the user and after each condensation, and appends the result. It
   * must be a pure function of the view, as `contextMessages` of `@palimpsest/agent/prompts` is. @defaultValue no messages
   */
  readonly context?: (view: View) => readonly MessageEvent[];
  /** Creates the events. @defaultValue UUIDv7 ids and the system clock */
  readonly createEvent?: CreateEvent;
  /** The maximum length of an answer. Unit: tokens. @defaultValue the adapter's */
  readonly maxOutputTokens?: number;
  /** The actions that wait for confirmation. @defaultValue 'never' */
  readonly confirmation?: ConfirmationPolicy;
  /**
   * Returns the risk of a call, which is stored on its action. If it throws, the risk is unknown. Where the model is asked too,
   * the higher risk counts. @defaultValue no risk is stored, except what the model says where it is asked
   */
  readonly assessRisk?: (call: { readonly toolName: string; readonly input: unknown }) => SecurityRisk;
  /**
   * The statements of the model about each of its calls, beside the input of the tool: stored on the action, and not in the
   * arguments of its call. Nobody has checked it. @defaultValue the risk where `confirmation` is `{ risk }` and there is no
   * `assessRisk`
   */
  readonly askOfModel?: AskedOfModel;
  /** @defaultValue none */
  readonly hooks?: Hooks;
  /** Observes runs, steps, model calls, tools and condensations: `@palimpsest/agent/opentelemetry`. @defaultValue nobody does */
  readonly instrumentation?: Instrumentation;
  /** The time limit of a call whose tool has no `timeoutMs`. Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 */
  readonly toolTimeoutMs?: number;
  /** The number of calls of tools marked `parallel` that may run at the same time. @defaultValue 4 */
  readonly toolConcurrency?: number;
  /** The limit of what the model is shown of a tool's output, and the store of the rest. @defaultValue see {@link OutputLimit} */
  readonly output?: OutputLimit;
  /**
   * Called when the provider's prompt cache begins to read less than the conversation's requests share, and when it reads it again. The
   * log keeps the same report. It must not throw. @defaultValue none
   */
  readonly onCacheDrift?: (report: CacheDriftReport) => void;
}

/** The options of an agent as its steps read them: checked, with what follows from them. */
export interface AgentParts extends Omit<AgentOptions, 'tools'> {
  /** The tools as the model is told of them: with the fields of `askOfModel`. */
  readonly tools: Toolset;
  readonly toolDefinitions: readonly ToolDefinition[];
  /** Reads the fields of `askOfModel` from a call. Never throws. */
  readonly readRequestedFields: (call: ToolCall) => CallWithFields;
  readonly confirmation: ConfirmationPolicy;
  readonly hooks: Hooks;
  readonly createEvent: CreateEvent;
  readonly sentPrompts: SentPrompts;
  readonly cacheWatch: CacheWatch;
}

/**
 * Returns the window that the agent plans with: smaller than the model's if the model reads less input than its window holds. Undefined
 * if it is not known. Unit: tokens.
 */
export function usableWindow({
  llm,
  maxOutputTokens,
}: Pick<AgentOptions, 'llm' | 'maxOutputTokens'>): number | undefined {
  const { contextWindow, facts } = llm;
  if (contextWindow === undefined || facts?.maxInputTokens === undefined) return contextWindow;
  return Math.min(contextWindow, facts.maxInputTokens + (maxOutputTokens ?? 0));
}
