import type { ActionEvent, Condensation, CondensationAttempt, Tool, ToolOutput } from '@palimpsest/events';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import type { RunOutcome, StepOutcome } from './outcome.js';
import type { SecretMask } from './secrets/mask.js';

/** The facts that are known of any work before it begins. */
export interface Work {
  /** Undefined where nobody knows it: then it is that of the work around. */
  readonly conversationId?: string | undefined;
  /** Aborted when the work is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

/** The run before, of the same log, as the log tells of it. */
export interface EarlierRun {
  /** W3C Trace Context, as {@link Instrumentation.run} handed it to its work. */
  readonly traceparent: string;
  /** The conversation that it ran: a fork's first run follows a run of its origin. */
  readonly conversationId: string;
  /** The newest status in the log; `running` when that run ended without saying so, and this one takes it over. */
  readonly status: string | undefined;
}

/** A run of a conversation. */
export interface RunWork extends Work {
  readonly conversationId: string;
  readonly model: string;
  readonly earlier: EarlierRun | undefined;
  /**
   * For a run that a runner was asked for: the W3C `traceparent` of each request that it serves, as {@link Instrumentation.traceparent}
   * gave it. What the runner happens to do around the run has no part in it. Undefined for a run that its caller waits for.
   */
  readonly requestedBy?: readonly string[] | undefined;
}

/** A request to a model. */
export interface ModelCallWork extends Work {
  readonly llm: LLM;
  /** The asking part: `agent`, `aside`, `condenser`. */
  readonly purpose: string;
  /** Hides values in the content of the request and of the answer. */
  readonly secrets?: SecretMask | undefined;
}

/** A call of a tool that is carried out. */
export interface ToolWork extends Work {
  readonly tool: Tool;
  readonly action: ActionEvent;
  readonly input: unknown;
  readonly secrets?: SecretMask | undefined;
}

/** A decision of a condenser, or of the agent itself when a request did not fit. */
export interface CondensationWork extends Work {
  /** The condenser's name; `agent` for the agent's last resort. */
  readonly condenser: string;
  readonly view: View;
  /** The view as it is when the work is done. */
  readonly viewNow: () => View;
}

/**
 * An observer of the work of an agent, around it: all that the work calls runs inside. Each method calls its work
 * exactly once, and returns or throws what that does. Nothing is observed by default. {@link openTelemetry} of
 * `@palimpsest/agent/opentelemetry` makes spans and metrics of it.
 */
export interface Instrumentation {
  /** The W3C `traceparent` of the span around the caller, for a runner that keeps it with a request. Undefined where there is none. */
  traceparent?(): string | undefined;
  /** Called when a run answers actions as lost, because the process that had begun them is gone. Optional. */
  actionsLost?(about: Work, count: number): void;
  /**
   * @param work - given the W3C `traceparent` of the run, the run logs it, so that the next run, in any process, can name this one
   */
  run(about: RunWork, work: (traceparent?: string) => Promise<RunOutcome>): Promise<RunOutcome>;
  step(about: Work, work: () => Promise<StepOutcome>): Promise<StepOutcome>;
  /** Observes a request, which may be changed only in what it reports: `onDelta` where there is one, `onRetry`, `onWait`. */
  modelCall(
    about: ModelCallWork,
    request: CompletionRequest,
    work: (request: CompletionRequest) => Promise<Completion>,
  ): Promise<Completion>;
  tool(about: ToolWork, work: () => Promise<ToolOutput>): Promise<ToolOutput>;
  /** @param work - calls `attempted` with each attempt that the log is told of */
  condensation(
    about: CondensationWork,
    work: (attempted: (attempt: CondensationAttempt) => void) => Promise<View | Condensation>,
  ): Promise<View | Condensation>;
}

/**
 * Wraps a model so that its calls are observed: for condensers, tools and whatever else asks a model beside the agent. The agent
 * observes the calls of its own.
 *
 * @param options - `purpose`: who asks, by default `condenser`; `secrets`: the conversation's, for an instrumentation that records content
 */
export function instrumentedLLM(
  llm: LLM,
  instrumentation: Pick<Instrumentation, 'modelCall'>,
  options: Pick<ModelCallWork, 'secrets'> & { readonly purpose?: string } = {},
): LLM {
  const { purpose = 'condenser', secrets } = options;
  const { model, contextWindow, prices, facts } = llm;
  const countTokens = llm.countTokens?.bind(llm);
  return {
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(prices === undefined ? {} : { prices }),
    ...(facts === undefined ? {} : { facts }),
    ...(countTokens === undefined ? {} : { countTokens }),
    complete: (request) =>
      instrumentation.modelCall({ llm, purpose, secrets, signal: request.signal }, request, (observed) =>
        llm.complete(observed),
      ),
  };
}
