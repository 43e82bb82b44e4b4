import { wellFormedJson } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CompletionRequest } from '../llm.js';
import { effortOf } from '../models/effort.js';
import { withBreakpoints } from './cache-marks.js';
import { outputLimit } from './output-limit.js';
import type { OutputLimit } from './output-limit.js';
import { requestPlan } from './request-plan.js';
import type { MessagesOptions, RequestPlan } from './request-plan.js';
import { refusesManualThinking, thinkingPlan, withoutManualThinking } from './thinking.js';
import type { ThinkingPlan } from './thinking.js';
import { turnsFromMessages } from './turns.js';
import type { Turns } from './turns.js';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/**
 * The body of a Messages request. Pure: the same request gives the same body, and the body of a longer history extends that of a
 * shorter one, except for added text that asks the model to continue or to call a tool. Only the form changes: calls and
 * results that do not match are not repaired, and the provider refuses them.
 *
 * - The results of a batch share one user message, results before text. Neighbouring messages of one role are merged.
 * - If the list starts with an assistant message, a user message is added before it. If it ends with an assistant message,
 *   models with prefill continue that message. For other models a user message that asks to continue is added after it. If the
 *   answer to that request contains thinking, later requests repeat the added message.
 * - For models that accept system messages among the messages, such a message keeps its position, after the user's text there.
 *   For other models it moves to the top.
 * - If the model thinks in this request, signed thinking blocks are sent unchanged, each at its position. Blocks without a
 *   signature are left out. If the request changes the content to which thinking is bound, all thinking is left out. Three
 *   things change that content: tools declared only because the history has calls, a tool that takes the answer, and images
 *   that are left out. Models that bind thinking bind it to the tools too. To forbid calls to such a model, pass the same tools
 *   and the tool choice `none`.
 * - If the history has calls and the request has no tools, the called tools are declared by name and none may be called.
 * - If the model accepts it, a forced call turns thinking off for the request. Models that accept no forced call get the tool
 *   choice `auto` and a sentence at the end that asks for the call. They may still answer with text.
 * - The provider enforces an answer's schema, or the schema becomes the input of a tool: see
 *   {@link MessagesOptions.structuredOutput}.
 * - Half of a surrogate pair becomes U+FFFD, in texts, keys and schemas. Signed data that contains one is left out.
 * - If there are more images than a request may hold, the oldest are replaced by a text that says so.
 * - With `request.cache`, up to four places are marked for the prompt cache.
 *
 * What frozen messages become is remembered with them, so a further body costs little more than what is new. Parts of a body are frozen,
 * because later bodies share them: to change a body, copy it.
 *
 * @throws {@link InvalidRequestError} when two tools have one name, or the model does not take the effort.
 * @see provider-rules A
 */
export function toMessagesRequest(request: CompletionRequest, options: MessagesOptions): Body {
  return bodyOf(requestPlan(request, options), options);
}

/** The body of a planned request. */
export function bodyOf(plan: RequestPlan, options: MessagesOptions): Body {
  const { facts, request } = plan;
  const limit = outputLimit(request, options, facts);
  const { turns, thinking } = thinkingTurns(plan, options, limit);
  // Tools are not remembered. Messages are well-formed already.
  const parts = {
    tools: wellFormedJson(plan.tools),
    system: turns.system,
    turns: turns.turns,
  };
  const {
    tools,
    system,
    turns: messages,
  } = request.cache === undefined
    ? parts
    : withBreakpoints(parts, turns, request.cache, { facts, ttl: options.cacheTtl });
  const output = outputConfig(plan, options);
  return {
    model: options.model,
    max_tokens: limit.maxTokens,
    ...(system.length === 0 ? {} : { system: [...system] }),
    messages: messages as Anthropic.MessageParam[],
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
    ...(plan.toolChoice === undefined ? {} : { tool_choice: wellFormedJson(plan.toolChoice) }),
    ...(thinking.config === undefined ? {} : { thinking: thinking.config }),
    ...(output === undefined ? {} : { output_config: wellFormedJson(output) }),
  };
}

/** The turns with the thinking that the model accepts, and the thinking parameter of the request. */
function thinkingTurns(
  plan: RequestPlan,
  options: MessagesOptions,
  limit: OutputLimit,
): { readonly turns: Turns; readonly thinking: ThinkingPlan } {
  const { facts, request, names, instruction, isForced } = plan;
  const turnsWith = ({ isOn }: ThinkingPlan) =>
    turnsFromMessages(request.messages, {
      names,
      facts,
      replaysThinking: isOn && !plan.unbindsHistory,
      allowsPrefill: !isOn && !isForced,
      instruction,
    });
  const thinking = thinkingPlan(facts, options, { ...limit, isForced });
  const turns = turnsWith(thinking);
  if (thinking.config?.type !== 'enabled' || !refusesManualThinking(turns.turns)) return { turns, thinking };
  const without = withoutManualThinking(facts);
  return { turns: turnsWith(without), thinking: without };
}

function outputConfig(
  { facts, request, schema }: RequestPlan,
  options: MessagesOptions,
): Anthropic.OutputConfig | undefined {
  const effort = effortOf(request, options, facts) as Anthropic.OutputConfig['effort'];
  if (schema === undefined && effort === undefined) return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema: { ...schema } } }),
  };
}
