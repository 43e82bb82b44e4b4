import { wellFormedJson } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CompletionRequest } from '../llm.js';
import { withBreakpoints } from './cache-breakpoints.js';
import { requestPlan } from './request-plan.js';
import type { MessagesOptions, RequestPlan } from './request-plan.js';
import { refusesManualThinking, thinkingPlan, withoutManualThinking } from './thinking.js';
import type { ThinkingPlan } from './thinking.js';
import { systemBlocks, turnsFromMessages } from './turns.js';
import type { Turns } from './turns.js';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** Below the SDK's limit without streaming (21,333), and above the usual length of an agent's turn. Unit: tokens. */
const defaultMaxOutputTokens = 16_000;

/**
 * The body of a Messages request. Pure: the same request gives the same body, and a longer history extends the body of a
 * shorter one, but for what asks the model to go on or to call. Changes only the form: calls and results that do not match are
 * not repaired, and the provider refuses them.
 *
 * - The results of a batch share one user message, results before text. Neighbouring messages of one role are merged.
 * - If the list starts with an assistant message, a user message is added before it. If it ends with an assistant message,
 *   models with prefill continue that message; for other models a user message is added after it, which stays there when an
 *   answer with thinking follows.
 * - System messages among the messages keep their position, after the user's text there, for models that accept them; for other
 *   models they move to the top.
 * - Thinking is sent as rendered, only signed blocks, each at its position, if the model thinks in this request. All thinking
 *   is left out if the request changes the content that it is bound to: tools declared for a history that has calls when the
 *   request has none, a tool that takes the answer, images over the limit. Models that bind thinking bind it to the tools too:
 *   to forbid calls to such a model, pass the same tools and the tool choice `none`.
 * - If the history has calls and the request has no tools, the called tools are declared by name and none may be called.
 * - A forced call turns thinking off for the request. Models that accept no forced call get `auto` and a sentence at the end
 *   that asks for the call; they may still answer with text.
 * - An answer's schema goes to the provider, or becomes the input of a tool: see {@link MessagesOptions.structuredOutput}.
 * - Lone surrogates become U+FFFD, in texts, keys, schemas; signed data that holds one is left out.
 * - If there are more images than a request may hold, the oldest are replaced by a text that says so.
 * - With `request.cache`, up to four places are marked for the prompt cache.
 *
 * @throws {@link InvalidRequestError} when two tools have one name.
 * @see provider-rules A
 */
export function toMessagesRequest(request: CompletionRequest, options: MessagesOptions): Body {
  return bodyOf(requestPlan(request, options), options);
}

/** The body that a plan leads to. */
export function bodyOf(plan: RequestPlan, options: MessagesOptions): Body {
  const { facts, request } = plan;
  const max_tokens = maxTokens(request, options, plan);
  const { turns, thinking } = thinkingTurns(plan, options, max_tokens);
  const parts = { tools: plan.tools, system: systemBlocks(request.messages, facts), turns: turns.turns };
  const {
    tools,
    system,
    turns: messages,
  } = request.cache === undefined
    ? parts
    : withBreakpoints(parts, turns, request.cache, { facts, ttl: options.cacheTtl });
  const output = outputConfig(plan, options);
  return wellFormedJson<Body>({
    model: options.model,
    max_tokens,
    ...(system.length === 0 ? {} : { system: [...system] }),
    messages: messages.map(({ role, content }) => ({ role, content: [...content] })) as Anthropic.MessageParam[],
    ...(tools.length === 0 ? {} : { tools: [...tools] }),
    ...(plan.toolChoice === undefined ? {} : { tool_choice: plan.toolChoice }),
    ...(thinking.config === undefined ? {} : { thinking: thinking.config }),
    ...(output === undefined ? {} : { output_config: output }),
  });
}

function maxTokens({ maxOutputTokens }: CompletionRequest, options: MessagesOptions, { facts }: RequestPlan): number {
  const wanted = maxOutputTokens ?? options.maxOutputTokens ?? defaultMaxOutputTokens;
  // A model of which nothing is known for certain decides itself what is too much.
  return facts.isAssumed ? wanted : Math.min(wanted, facts.maxOutputTokens ?? wanted);
}

/** The turns with the thinking that the model will take, and what it is told of thinking. */
function thinkingTurns(
  plan: RequestPlan,
  options: MessagesOptions,
  max: number,
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
  const thinking = thinkingPlan(facts, options, { maxTokens: max, isForced });
  const turns = turnsWith(thinking);
  if (thinking.config?.type !== 'enabled' || !refusesManualThinking(turns.turns)) return { turns, thinking };
  const without = withoutManualThinking(facts);
  return { turns: turnsWith(without), thinking: without };
}

function outputConfig({ facts, schema }: RequestPlan, { effort }: MessagesOptions): Anthropic.OutputConfig | undefined {
  const takesEffort = facts.thinkingControl !== 'manual' && facts.thinkingControl !== 'none';
  if (schema === undefined && (effort === undefined || !takesEffort)) return undefined;
  return {
    ...(effort === undefined || !takesEffort ? {} : { effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema: { ...schema } } }),
  };
}
