import type { ChatRule } from '../wire/chat-parts.js';
import type { CompatProfile } from './profile.js';

/** The rules that apply only to OpenAI's own models and limits. */
const openaiOnly: readonly string[] = ['B3', 'B4', 'B7', 'B8', 'B9', 'B10', 'B11', 'B12', 'B-tools'];

/** D, vLLM: some templates accept instructions only at the start. */
const systemFirst: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, role }, index) =>
    index > 0 && (role === 'system' || role === 'developer')
      ? [report(`${path}.role`, 'System message must be at the beginning.')]
      : [],
  );

/** vLLM with the template of Qwen. Its errors are flat. @see provider-rules D */
export const vllmQwen: CompatProfile = {
  name: 'vllm-qwen',
  dropsRules: openaiOnly,
  rules: { 'D-vllm-system': systemFirst },
  overflow: ({ inputTokens, maxOutputTokens = 0, contextWindow }) => ({
    status: 400,
    type: 'BadRequestError',
    message:
      `This model's maximum context length is ${contextWindow} tokens. However, you requested ${maxOutputTokens} output ` +
      `tokens and your prompt contains at least ${inputTokens} input tokens, for a total of at least ` +
      `${inputTokens + maxOutputTokens} tokens. Please reduce the length of the input prompt or the number of requested ` +
      `output tokens. (parameter=input_tokens, value=${inputTokens})`,
  }),
  errorBody: ({ status, message }) => ({
    object: 'error',
    message,
    type: 'BadRequestError',
    param: null,
    code: status,
  }),
};

/** D, llama.cpp: strict templates require alternating user and assistant messages. Calls and results are ignored. */
const rolesAlternate: ChatRule = ({ messages }, report) => {
  const complaint =
    'Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles ' +
    'except for tool calls and results.';
  const details = { status: 500, code: 'server_error' };
  const turns = messages.filter(({ role, calls }) => role !== 'tool' && calls.length === 0);
  const body = turns[0]?.role === 'system' ? turns.slice(1) : turns;
  return body.flatMap(({ path, role }, index) =>
    role === (index % 2 === 0 ? 'user' : 'assistant') ? [] : [report(`${path}.role`, complaint, details)],
  );
};

/** llama.cpp with a template that checks the order of roles, and with its overflow error. @see provider-rules D */
export const strictTemplate: CompatProfile = {
  name: 'strict-template',
  dropsRules: openaiOnly,
  rules: { 'D-template-alternate': rolesAlternate },
  ...llamaCppErrors(),
};

/** llama.cpp with a template that accepts any order. @see provider-rules D */
export const llamaCpp: CompatProfile = { name: 'llama.cpp', dropsRules: openaiOnly, ...llamaCppErrors() };

function llamaCppErrors(): Pick<CompatProfile, 'overflow' | 'errorBody'> {
  const type = 'exceed_context_size_error';
  return {
    overflow: ({ inputTokens, contextWindow }) => ({
      status: 400,
      type,
      message: 'the request exceeds the available context size, try increasing it',
      details: { n_prompt_tokens: inputTokens, n_ctx: contextWindow },
    }),
    errorBody: ({ status, message, type: kind, details }) => ({
      error: { code: status, message, type: status === 500 ? 'server_error' : kind, ...details },
    }),
  };
}

/** D, LM Studio 0.3: content is never null. */
const contentNeverNull: ChatRule = ({ messages }, report) =>
  messages
    .filter(({ value: { content } }) => typeof content !== 'string' && !Array.isArray(content))
    .map(({ path }) =>
      report(`${path}.content`, "Invalid 'content': 'content' field must be a string or an array of objects."),
    );

/** An old LM Studio. @see provider-rules D */
export const lmStudioOld: CompatProfile = {
  name: 'lmstudio-old',
  dropsRules: [...openaiOnly, 'B5'],
  rules: { 'D-lmstudio-content': contentNeverNull },
  overflow: ({ inputTokens, contextWindow }) => ({
    status: 400,
    type: 'invalid_request_error',
    message:
      `Trying to keep the first ${inputTokens} tokens when context the overflows. However, the model is loaded with ` +
      `context length of only ${contextWindow} tokens, which is not enough.`,
  }),
  errorBody: ({ message }) => ({ error: message }),
};

/**
 * Ollama: does not check the order. If a request is too large, it reads only the last half window and answers with status 200.
 * Only `prompt_tokens` shows the truncation. @see provider-rules D
 */
export const ollama: CompatProfile = {
  name: 'ollama',
  dropsRules: [...openaiOnly, 'B1', 'B2', 'B5'],
  overflow: ({ contextWindow }) => ({ truncatedTo: Math.floor(contextWindow / 2) }),
};
