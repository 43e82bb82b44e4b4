import { wellFormedJson } from '@palimpsest/events';
import type OpenAI from 'openai';
import type { CompletionRequest, ToolChoice } from '../../llm.js';
import { modelFacts, modelName } from '../../models/model-facts.js';
import { effortOf } from '../../request-check.js';
import { assertOneToolPerName, toolNames } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';
import { cacheFields, namesPlaces, takesBreakpoints } from '../cache-marks.js';
import { standInTools } from '../chat/request.js';
import type { ChatCompletionsOptions } from '../chat/request.js';
import { serverProfile } from '../server-profile.js';
import { sendableFormat } from '../structured-output.js';
import { inputOf, withBreakpoints } from './input.js';

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** The options of writing a Responses request. */
export interface ResponsesOptions extends ChatCompletionsOptions {
  /** The summaries of the reasoning to request, which then come as thinking. @defaultValue none */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

/**
 * Returns the body of a Responses request, stateless: nothing is stored at the provider (`store: false`), and the whole
 * history goes with every request. Pure: the same request gives the same body, and a longer history extends the body of
 * a shorter one. Changes only the form, like {@link toChatCompletionsRequest}: calls and results that do not match are
 * not repaired.
 *
 * - The first system message becomes the `instructions`; a later one becomes a developer message at its position.
 * - Reasoning items go back unchanged, at their position, before the items that they produced. A reasoning item without
 *   encrypted content, or with nothing after it, is left out: the provider would refuse it.
 * - Calls and messages go back without the ids of their items. With the ids, the provider would require the reasoning of each
 *   item, which a condensed history may lack. Nothing else needs the ids.
 * - For models that label their text, the text of an answer with calls is sent back as `commentary`, any other text as
 *   `final_answer`.
 * - Images stay in their results.
 * - If the history has calls and the request has no tools, the called tools are declared by name and none may be
 *   called.
 * - Half of a surrogate pair becomes U+FFFD. Encrypted reasoning that contains one is left out.
 *
 * What frozen messages become is remembered with them, so a further body costs little more than what is new. Parts of a
 * body are frozen, because later bodies share them: to change a body, copy it.
 *
 * @throws {@link InvalidRequestError} when two tools have one name, or the model does not take the effort.
 * @see provider-rules C
 */
export function toResponsesRequest(request: CompletionRequest, options: ResponsesOptions): Body {
  const { messages, responseFormat, cache = {} } = request;
  const { model, server: profile = serverProfile('openai'), reasoningSummary, parallelToolCalls } = options;
  const facts = options.facts ?? modelFacts(model, profile.name === 'openai' ? 'openai' : 'compatible');
  const effort = effortOf(request, options, facts);
  const standIns = (request.tools ?? []).length === 0 && profile.callsNeedTools ? standInTools(messages) : [];
  const tools = standIns.length > 0 ? standIns : (request.tools ?? []);
  const toolChoice = standIns.length > 0 ? 'none' : request.toolChoice;
  assertOneToolPerName(tools, 'openai');
  const names = toolNames({ messages, tools });
  const maxOutputTokens = request.maxOutputTokens ?? options.maxOutputTokens;
  const takesMarks = takesBreakpoints(model, profile) && namesPlaces(cache);
  const withPhases = facts.provider === 'openai' && takesPhases(model);
  // If there are marks, all results are sent as parts, so that only the marks change from request to request.
  const input = inputOf(messages, names, { withPhases, resultsInParts: takesMarks });
  const { instructions } = input;
  // The SDK's type requires the ids of items; the provider does not.
  const sent: unknown = takesMarks ? withBreakpoints(input, messages, cache) : input.items;
  // Messages are well-formed already.
  const rest = wellFormedJson<Omit<Body, 'model' | 'input' | 'instructions'>>({
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(effort === undefined && reasoningSummary === undefined
      ? {}
      : {
          reasoning: {
            ...(effort === undefined ? {} : { effort }),
            ...(reasoningSummary === undefined ? {} : { summary: reasoningSummary }),
          },
        }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            name: names.toWire(name),
            description,
            parameters: inputSchema,
            // This API's default is true, with which most schemas are refused.
            strict: false,
          })),
          ...(toolChoice === undefined ? {} : { tool_choice: wireToolChoice(toolChoice, names) }),
          ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
        }),
    ...(responseFormat === undefined
      ? {}
      : { text: { format: { type: 'json_schema' as const, ...sendableFormat(responseFormat) } } }),
    ...cacheFields(cache, { model, profile, cacheTtl: options.cacheTtl }),
  });
  return {
    model,
    store: false,
    // A model without reasoning refuses this field.
    ...(facts.thinkingControl === 'none' ? {} : { include: ['reasoning.encrypted_content'] }),
    ...(instructions === undefined ? {} : { instructions }),
    input: sent as OpenAI.Responses.ResponseInput,
    ...rest,
  };
}

function wireToolChoice(choice: ToolChoice, names: ToolNames): NonNullable<Body['tool_choice']> {
  return typeof choice === 'string' ? choice : { type: 'function', name: names.toWire(choice.tool) };
}

/** Returns true for models of OpenAI from GPT-5.3 on, and for those whose names say no version. */
function takesPhases(model: string): boolean {
  const name = modelName(model);
  if (/^(?:o\d|chatgpt|ft:)/.test(name)) return false;
  const [, major, minor] = /^gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? [];
  if (major === undefined) return true;
  return Number(major) > 5 || (Number(major) === 5 && Number(minor ?? 0) >= 3);
}
