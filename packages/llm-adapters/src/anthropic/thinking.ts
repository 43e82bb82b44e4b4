import type Anthropic from '@anthropic-ai/sdk';
import { InvalidRequestError } from '../errors.js';
import type { Effort, ModelFacts } from '../models/model-facts.js';
import { isThinking } from './writer.js';
import type { Block, Turn } from './turns.js';

/** The thinking options of a Claude model. */
export interface ThinkingOptions {
  /**
   * The choice of thinking before an answer. `on`: the model decides how much. Models that need a budget get half of
   * `maxOutputTokens`, or 8,000 tokens if that is not set. A budget, 1,024 tokens or more, is sent to models that accept one;
   * other models decide how much. `off` changes nothing for models that always think.
   *
   * @defaultValue `on` for models that decide themselves how much; `off` for those that need a budget
   */
  readonly thinking?: 'on' | 'off' | { readonly budgetTokens: number };
  /**
   * The effort that the model spends on an answer. Models that need a budget take none. @defaultValue the model's own
   */
  readonly effort?: Effort;
}

/** The smallest thinking budget that the provider accepts. Unit: tokens. @see provider-rules A.5 */
const minBudgetTokens = 1_024;

/** @throws {@link InvalidRequestError} when the budget is not a whole number of tokens, or is less than 1,024. */
export function assertThinkingOptions({ thinking }: ThinkingOptions): void {
  if (typeof thinking !== 'object') return;
  const { budgetTokens } = thinking;
  if (Number.isInteger(budgetTokens) && budgetTokens >= minBudgetTokens) return;
  throw new InvalidRequestError(
    `anthropic: thinking.budgetTokens is ${budgetTokens}; it must be a whole number of at least ${minBudgetTokens} tokens`,
    { provider: 'anthropic' },
  );
}

/** The thinking parameter of a request, and whether the history's thinking is sent. */
export interface ThinkingPlan {
  readonly config?: Anthropic.ThinkingConfigParam;
  /** The model thinks in this request, so the history's thinking is sent too. */
  readonly isOn: boolean;
}

/**
 * Decides the thinking parameter of a request. `budgetTokens`: the budget of `on`. `isForced`: the request forces a
 * tool call, which excludes thinking (rule A20). Thinking is then off for this request if the model allows it.
 */
export function thinkingPlan(
  facts: Pick<ModelFacts, 'thinkingControl'>,
  { thinking }: ThinkingOptions,
  request: { readonly maxTokens: number; readonly budgetTokens: number; readonly isForced: boolean },
): ThinkingPlan {
  const { thinkingControl } = facts;
  if (thinkingControl === 'none') return { isOn: false };
  // No parameter is sent: models that always think refuse `disabled` and do not need `enabled`.
  if (thinkingControl === 'always') return { isOn: true };
  const decidesItself = thinkingControl !== 'manual';
  const off: ThinkingPlan = { isOn: false, ...(decidesItself ? { config: { type: 'disabled' } } : {}) };
  if (request.isForced || thinking === 'off') return off;
  if (decidesItself && (thinking === undefined || thinking === 'on' || thinkingControl === 'adaptive')) {
    return { isOn: true, config: { type: 'adaptive' } };
  }
  if (thinking === undefined) return off;
  const wanted = thinking === 'on' ? request.budgetTokens : thinking.budgetTokens;
  const budget_tokens = Math.min(Math.max(wanted, minBudgetTokens), request.maxTokens - 1);
  // An answer this short leaves no room for the smallest budget.
  return budget_tokens < minBudgetTokens ? off : { isOn: true, config: { type: 'enabled', budget_tokens } };
}

/** Returns the plan for a history that {@link refusesManualThinking}. */
export function withoutManualThinking(facts: Pick<ModelFacts, 'thinkingControl'>): ThinkingPlan {
  return facts.thinkingControl === 'manual' ? { isOn: false } : { isOn: true, config: { type: 'adaptive' } };
}

/**
 * Returns true for turns with which a request with a thinking budget is refused: the newest results answer a loop of calls that
 * does not start with thinking, and neither does its last answer. Either none was made, or a view has left it out. A model that
 * thinks once before its first call is right to have none before the others.
 *
 * @see provider-rules A.5 and A16
 */
export function refusesManualThinking(turns: readonly Turn[]): boolean {
  if (turns.at(-1)?.content.some(isResult) !== true) return false;
  const askedAt = turns.findLastIndex(({ role, content }) => role === 'user' && !content.some(isResult));
  const loop = turns.slice(askedAt + 1).filter(({ role }) => role === 'assistant');
  return ![loop[0], loop.at(-1)].some((turn) => isThinking(turn?.content[0]));
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result';
}
