import { cacheKeyComplaint, isBreakpoint } from '../chat-completions/parameters.js';
import { openaiModel } from '../wire/openai-models.js';
import { strictSchemaComplaints } from '../wire/strict-schema.js';
import { openaiReportFor, quotedPath } from '../wire/violation.js';
import type { OpenAIViolation } from '../wire/violation.js';
import type { IssuedItems, ResponsesRule } from './parts.js';
import {
  approvalsHaveRequests,
  callIdsUnique,
  callIdsValid,
  callsHaveResults,
  contentFitsRole,
  encryptedContentIsOurs,
  itemIdsValid,
  itemTypesKnown,
  listsNotEmpty,
  nothingIsStored,
  outputPartsFit,
  reasoningHasSummary,
  reasoningIsFollowed,
  reasoningIsKept,
  resultsHaveCalls,
  textWellFormed,
  toolsDefined,
} from './items.js';
import { responsesRequest } from './parts.js';
import { listIn, objectIn, textIn } from '../wire/wire-json.js';

/**
 * Returns the violations for which OpenAI would refuse the body of a Responses request. Empty if OpenAI would accept it. Reads
 * only the wire format and shares no code with the adapters.
 *
 * Rules: C0 to C4, C6 to C9, the rules with words as names, and B4, B9, B10, B11 as far as they apply to Responses. C5 and C10
 * need the server that issued the items. The server enforces C11 (the window) and C12 (the order of a stream).
 *
 * @see provider-rules C
 */
export function checkResponsesRequest(body: unknown): OpenAIViolation[] {
  return checkAgainstIssued(body, undefined);
}

/** Returns the same check with C5 and C10, for a server that knows its issued items. */
export function checkAgainstIssued(body: unknown, issued: IssuedItems | undefined): OpenAIViolation[] {
  const object = objectIn(body);
  if (object === undefined) return [openaiReportFor('C0')('', 'the body is not a JSON object')];
  const request = responsesRequest(object, issued);
  return Object.entries(responsesRules).flatMap(([name, rule]) => rule(request, openaiReportFor(name)));
}

const knownRoles: readonly string[] = ['system', 'developer', 'user', 'assistant'];

/** Parameter names of other endpoints that have a different name here. */
const foreignFields: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
};

/** C.1: the fields that every request needs. */
const requiredFields: ResponsesRule = ({ body, model, items }, report) => {
  const missing = (path: string) =>
    report(path, `Missing required parameter: '${quotedPath(path)}'.`, { code: 'missing_required_parameter' });
  return [
    ...(model === '' ? [missing('model')] : []),
    ...(items.length === 0 ? [missing('input')] : []),
    ...Object.entries(foreignFields)
      .filter(([name]) => body[name] !== undefined)
      .map(([name, here]) =>
        report(name, `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${here}'.`, {
          code: 'unsupported_parameter',
        }),
      ),
    ...listIn(body.tools).flatMap((tool, index) => {
      const { type, name } = objectIn(tool) ?? {};
      return type === 'function' && textIn(name) === undefined ? [missing(`tools.${index}.name`)] : [];
    }),
    ...items.flatMap(({ path, type, role, value }) => {
      if (type === '') return [missing(`${path}.type`)];
      if (type === 'message') {
        if (!knownRoles.includes(role)) return [report(`${path}.role`, `Invalid value: '${role}'.`)];
        const said = typeof value.content === 'string' || Array.isArray(value.content);
        return said ? [] : [missing(`${path}.content`)];
      }
      const field = type === 'function_call' ? 'arguments' : type === 'function_call_output' ? 'output' : undefined;
      if (field === undefined || typeof value[field] === 'string') return [];
      return field === 'output' && Array.isArray(value.output) ? [] : [missing(`${path}.${field}`)];
    }),
  ];
};

/** B.3: names of declared and called tools. */
const namesValid: ResponsesRule = ({ body, items }, report) =>
  [
    ...listIn(body.tools).flatMap((tool, index) => {
      const { type, name } = objectIn(tool) ?? {};
      return type === 'function' ? [{ path: `tools.${index}.name`, name }] : [];
    }),
    ...items.flatMap(({ type, path, value }) =>
      type === 'function_call' ? [{ path: `${path}.name`, name: value.name }] : [],
    ),
  ]
    .filter(({ name }) => name !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(textIn(name) ?? ''))
    .map(({ path }) =>
      report(
        path,
        `Invalid '${quotedPath(path)}': string does not match pattern. Expected a string that matches the pattern ` +
          "'^[a-zA-Z0-9_-]+$'.",
        { code: 'invalid_value' },
      ),
    );

/** B.3: parameters that reasoning models refuse. */
const samplingFits: ResponsesRule = ({ body, model }, report) =>
  openaiModel(model).isReasoning
    ? ['temperature', 'top_p', 'top_logprobs']
        .filter((key) => body[key] !== undefined && body[key] !== null && body[key] !== 1)
        .map((key) =>
          report(key, `Unsupported parameter: '${key}' is not supported with this model.`, {
            code: 'unsupported_parameter',
          }),
        )
    : [];

/** B.4: strict schemas. */
const strictSchemasFit: ResponsesRule = ({ body }, report) => {
  const code = { code: 'invalid_json_schema' };
  const format = objectIn(objectIn(body.text)?.format);
  const strict = format?.type === 'json_schema' && format.strict === true;
  return [
    ...(strict ? strictSchemaComplaints(format.schema) : []).map((words) =>
      report(
        'text.format.schema',
        `Invalid schema for response_format '${textIn(format?.name) ?? ''}': ${words}`,
        code,
      ),
    ),
    ...listIn(body.tools).flatMap((tool, index) => {
      const declared = objectIn(tool);
      if (declared?.type !== 'function' || declared.strict !== true) return [];
      return strictSchemaComplaints(declared.parameters).map((words) =>
        report(
          `tools.${index}.parameters`,
          `Invalid schema for function '${textIn(declared.name) ?? ''}': ${words}`,
          code,
        ),
      );
    }),
  ];
};

/** provider-rules B11, B.3, B.8: cache key and cache breakpoints. */
const cacheFits: ResponsesRule = ({ body, items }, report) => [
  ...cacheKeyComplaint(body.prompt_cache_key).map((words) =>
    report('prompt_cache_key', words, { code: 'string_above_max_length' }),
  ),
  ...(items.flatMap(({ value }) => [...listIn(value.content), ...listIn(value.output)]).filter(isBreakpoint).length > 4
    ? [report('input', 'At most 4 explicit prompt cache breakpoints are allowed.')]
    : []),
];

export const responsesRules: Readonly<Record<string, ResponsesRule>> = {
  C0: requiredFields,
  C1: itemIdsValid,
  C2: nothingIsStored,
  C3: reasoningHasSummary,
  C4: reasoningIsFollowed,
  C5: reasoningIsKept,
  C6: resultsHaveCalls,
  C7: callsHaveResults,
  C8: callIdsValid,
  C9: contentFitsRole,
  C10: encryptedContentIsOurs,
  B4: namesValid,
  B9: samplingFits,
  B10: strictSchemasFit,
  B11: cacheFits,
  'C-text': textWellFormed,
  'C-call-ids': callIdsUnique,
  'C-approvals': approvalsHaveRequests,
  'C-item-type': itemTypesKnown,
  'C-output-parts': outputPartsFit,
  'C-empty-list': listsNotEmpty,
  'C-tools': toolsDefined,
};
