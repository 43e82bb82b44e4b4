import type { ChatRule } from '../wire/chat-parts.js';
import { openaiModel } from '../wire/openai-models.js';
import { strictSchemaComplaints } from '../wire/strict-schema.js';
import { quotedPath } from '../wire/violation.js';
import { listIn, objectIn, textIn } from '../wire/wire-json.js';

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** provider-rules B4, B.3: names of declared, called and chosen tools. */
export const namesValid: ChatRule = ({ body, messages }, report) => {
  const declared = listIn(body.tools).map((tool, index) => ({
    path: `tools.${index}.function.name`,
    name: objectIn(objectIn(tool)?.function)?.name,
  }));
  const called = messages.flatMap(({ calls }) =>
    calls.map(({ path, called: { name } }) => ({ path: `${path}.function.name`, name })),
  );
  const chosen = objectIn(objectIn(body.tool_choice)?.function);
  const all = [
    ...declared,
    ...called,
    ...(chosen === undefined ? [] : [{ path: 'tool_choice.function.name', name: chosen.name }]),
  ];
  return all
    .filter(({ name }) => !namePattern.test(textIn(name) ?? ''))
    .map(({ path }) =>
      report(
        path,
        `Invalid '${quotedPath(path)}': string does not match pattern. Expected a string that matches the pattern ` +
          "'^[a-zA-Z0-9_-]+$'.",
        { code: 'invalid_value' },
      ),
    );
};

/** provider-rules B7, B.3. */
export const toolsNotTooMany: ChatRule = ({ body }, report) => {
  const { length } = listIn(body.tools);
  if (length <= 128) return [];
  const words = `Invalid 'tools': array too long. Expected an array with maximum length 128, but got ${length} instead.`;
  return [report('tools', words, { code: 'array_above_max_length' })];
};

/** provider-rules B8, B.5: this endpoint does not accept tools together with reasoning. */
export const toolsWithoutReasoning: ChatRule = ({ body, model }, report) => {
  const { chatTools } = openaiModel(model);
  const effort = textIn(body.reasoning_effort);
  if (chatTools === 'never' && effort === 'none') {
    const words = `Unsupported value: 'reasoning_effort' does not support 'none' with this model.`;
    return [report('reasoning_effort', words, { code: 'unsupported_value' })];
  }
  const reasons = chatTools === 'unless-asked-to-reason' ? (effort ?? 'none') !== 'none' : effort !== 'none';
  if (listIn(body.tools).length === 0 || chatTools === 'any' || !reasons) return [];
  const head = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. `;
  const tail =
    chatTools === 'unless-asked-to-reason'
      ? 'Please use /v1/responses instead.'
      : "To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
  return [report('reasoning_effort', head + tail)];
};

/** provider-rules B9, B.3: parameters that reasoning models refuse. */
export const samplingFits: ChatRule = ({ body, model }, report) => {
  if (!openaiModel(model).isReasoning) return [];
  const unsupported = (key: string, hint = '') =>
    report(key, `Unsupported parameter: '${key}' is not supported with this model.${hint}`, {
      code: 'unsupported_parameter',
    });
  const given = (key: string) => body[key] !== undefined && body[key] !== null;
  return [
    ...(given('max_tokens') ? [unsupported('max_tokens', " Use 'max_completion_tokens' instead.")] : []),
    ...['temperature', 'top_p']
      .filter((key) => given(key) && body[key] !== 1)
      .map((key) =>
        report(
          key,
          `Unsupported value: '${key}' does not support ${String(body[key])} with this model. ` +
            'Only the default (1) value is supported.',
          { code: 'unsupported_value' },
        ),
      ),
    ...['stop', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'logit_bias']
      .filter((key) => given(key) && body[key] !== 0 && body[key] !== false)
      .map((key) => unsupported(key)),
  ];
};

/** provider-rules B10, B.4: strict schemas. */
export const strictSchemasFit: ChatRule = ({ body }, report) => {
  const code = { code: 'invalid_json_schema' };
  const format = objectIn(objectIn(body.response_format)?.json_schema);
  const name = textIn(format?.name) ?? '';
  return [
    ...(format === undefined || namePattern.test(name)
      ? []
      : [report('response_format.json_schema.name', "Invalid 'response_format.json_schema.name'.", code)]),
    ...(format?.strict === true
      ? strictSchemaComplaints(format.schema).map((words) =>
          report('response_format', `Invalid schema for response_format '${name}': ${words}`, code),
        )
      : []),
    ...listIn(body.tools).flatMap((tool, index) => {
      const declared = objectIn(objectIn(tool)?.function);
      if (declared?.strict !== true) return [];
      return strictSchemaComplaints(declared.parameters).map((words) =>
        report(
          `tools.${index}.function.parameters`,
          `Invalid schema for function '${textIn(declared.name) ?? ''}': ${words}`,
          code,
        ),
      );
    }),
  ];
};

/** provider-rules B11, B.3, B.8: cache key and cache breakpoints. */
export const cacheHintsFit: ChatRule = ({ body, messages }, report) => [
  ...cacheKeyComplaint(body.prompt_cache_key).map((words) =>
    report('prompt_cache_key', words, { code: 'string_above_max_length' }),
  ),
  ...(messages.flatMap(({ value }) => listIn(value.content)).filter(isBreakpoint).length > 4
    ? [report('messages', 'At most 4 explicit prompt cache breakpoints are allowed.')]
    : []),
];

/** Returns the problem of a cache key, for both endpoints. */
export function cacheKeyComplaint(key: unknown): readonly string[] {
  const { length } = textIn(key) ?? '';
  if (length <= 64) return [];
  return [
    `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${length} instead.`,
  ];
}

/** Returns true for a content part that ends a prefix that the client wants cached. */
export function isBreakpoint(part: unknown): boolean {
  return objectIn(objectIn(part)?.prompt_cache_breakpoint)?.mode === 'explicit';
}

/** provider-rules B12, B.3: parameters that require another parameter. */
export const companionsPresent: ChatRule = ({ body }, report) => [
  ...(body.stream_options !== undefined && body.stream_options !== null && body.stream !== true
    ? [report('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")]
    : []),
  ...(['parallel_tool_calls', 'tool_choice'] as const)
    .filter((key) => body[key] !== undefined && listIn(body.tools).length === 0)
    .map((key) => report(key, `'${key}' is only allowed when 'tools' are specified.`)),
];
