import type { ChatRule } from '../wire/chat-parts.js';
import type { CompatProfile } from './profile.js';
import { objectIn } from '../wire/wire-json.js';
import type { JsonObject } from '../wire/wire-json.js';

const openaiOnly: readonly string[] = ['B3', 'B7', 'B8', 'B9', 'B10', 'B11', 'B12', 'B-tools'];

/** D, DeepSeek: calls are sent back with their thinking, even if it is empty. */
const reasoningReturned: ChatRule = ({ body, messages }, report) => {
  if (objectIn(body.thinking)?.type === 'disabled') return [];
  return messages
    .filter(({ calls, value }) => calls.length > 0 && typeof value.reasoning_content !== 'string')
    .map(({ path }) => report(path, 'The `reasoning_content` in the thinking mode must be passed back to the API.'));
};

/** D, DeepSeek: JSON output only if the prompt mentions JSON; no schemas. @see https://github.com/llm-exe/llm-exe/issues/662 */
const jsonWithoutSchema: ChatRule = ({ body }, report) => {
  const type = objectIn(body.response_format)?.type;
  if (type === 'json_schema') return [report('response_format', 'This response_format type is unavailable now')];
  if (type !== 'json_object' || /json/i.test(JSON.stringify(body.messages))) return [];
  return [
    report(
      'messages',
      "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
    ),
  ];
};

/** DeepSeek with thinking (the default). Its overflow error has no specific code. @see provider-rules D */
export const deepseek: CompatProfile = {
  name: 'deepseek',
  dropsRules: openaiOnly,
  rules: { 'D-deepseek-reasoning': reasoningReturned, 'D-deepseek-format': jsonWithoutSchema },
  overflow: ({ inputTokens, maxOutputTokens = 0, contextWindow }) => ({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_request_error',
    message:
      `This model's maximum context length is ${contextWindow} tokens. However, you requested ` +
      `${inputTokens + maxOutputTokens} tokens (${inputTokens} in the messages, ${maxOutputTokens} in the completion). ` +
      'Please reduce the length of the messages or completion.',
  }),
  errorBody: ({ message, type, code }) => ({
    error: { message, type, param: null, code: code ?? 'invalid_request_error' },
  }),
  decorate: (message: JsonObject) => ({ reasoning_content: '', ...message }),
};

/** D, Kimi: the rule of DeepSeek with a different error text. */
const reasoningWithCalls: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, calls, value }, index) =>
    calls.length === 0 || typeof value.reasoning_content === 'string'
      ? []
      : [
          report(
            path,
            `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
          ),
        ],
  );

/** Kimi with thinking. @see provider-rules D */
export const kimi: CompatProfile = {
  name: 'kimi',
  dropsRules: openaiOnly,
  rules: { 'D-kimi-reasoning': reasoningWithCalls },
  overflow: ({ inputTokens, maxOutputTokens = 0, contextWindow }) => ({
    status: 400,
    type: 'invalid_request_error',
    message: `Your request exceeded model token limit: ${contextWindow} (requested: ${inputTokens + maxOutputTokens})`,
  }),
  decorate: (message: JsonObject) => ({ reasoning_content: '', ...message }),
};

/** OpenRouter: an upstream error can have status 200; `metadata.raw` holds its text. @see provider-rules D */
export const openRouter: CompatProfile = {
  name: 'openrouter',
  basePath: '/api/v1',
  dropsRules: openaiOnly,
  overflow: ({ inputTokens, maxOutputTokens = 0, contextWindow }) => ({
    status: 400,
    type: 'invalid_request_error',
    message:
      `This endpoint's maximum context length is ${contextWindow} tokens. However, you requested about ` +
      `${inputTokens + maxOutputTokens} tokens (${inputTokens} of text input, ${maxOutputTokens} in the output). Please ` +
      'reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  }),
  errorStatus: ({ status }) => (status === 400 ? 200 : status),
  errorBody: ({ status, message, type }) => {
    const raw = JSON.stringify({ error: { message, type, param: null, code: null } });
    // An overflow is an error of OpenRouter itself. Rule violations are errors of the upstream server.
    if (message.startsWith("This endpoint's")) return { error: { message, code: status } };
    const metadata = { raw, provider_name: 'Somebody' };
    return { error: { message: 'Provider returned error', code: status, metadata } };
  },
};
