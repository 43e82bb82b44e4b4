import type { CreateEvent, MessageEvent, Tool } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import type { ConfirmationPolicy, SecurityRisk } from './confirmation.js';
import type { Hooks } from './hooks.js';
import type { OutputLimit } from './tools/output-limit.js';

/** What an agent consists of. */
export interface AgentOptions {
  readonly llm: LLM;
  /** The instructions. They go into the log when a conversation starts. @defaultValue none */
  readonly systemPrompt?: string;
  /** @defaultValue none */
  readonly tools?: readonly Tool[];
  /** Asked once before each model call. @defaultValue none: the history is sent as it is */
  readonly condenser?: Condenser;
  /** How the view becomes messages. @defaultValue the view's own way, no labels */
  readonly render?: RenderOptions;
  /**
   * What the model must read beside the user's words and is not shown now: workspace context, rules, skills. A conversation
   * asks after each message of the user and after each condensation, and appends it. Must be a pure function of the view, as
   * `contextMessages` of `@palimpsest/agent/prompts` is. @defaultValue nothing
   */
  readonly context?: (view: View) => readonly MessageEvent[];
  /** Makes the events. @defaultValue UUIDv7 ids and the system clock */
  readonly createEvent?: CreateEvent;
  /** The longest answer. Unit: tokens. @defaultValue the adapter's */
  readonly maxOutputTokens?: number;
  /** Which actions wait for a person's yes. @defaultValue 'never' */
  readonly confirmation?: ConfirmationPolicy;
  /** Says how dangerous a call is; it stands on the action. One that throws does not know. @defaultValue nobody says */
  readonly assessRisk?: (call: { readonly toolName: string; readonly input: unknown }) => SecurityRisk;
  /** @defaultValue none */
  readonly hooks?: Hooks;
  /** How long a call of a tool may take that names no time. Unit: milliseconds; `Infinity` is no limit. @defaultValue 300000 */
  readonly toolTimeoutMs?: number;
  /** How many calls may run side by side whose tools are marked `parallel`. @defaultValue 4 */
  readonly toolConcurrency?: number;
  /** How much of a tool's output the model is shown, and where the rest goes. @defaultValue as {@link OutputLimit} says */
  readonly output?: OutputLimit;
}
