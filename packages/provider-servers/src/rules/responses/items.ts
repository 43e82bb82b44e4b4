import { halfInBody, parsesToHalf, placeOfHalf, listIn, objectIn, textIn } from '../wire/wire-json.js';
import { quotedPath } from '../wire/violation.js';
import { isOutput, idPrefixes } from './parts.js';
import type { InputItem, ResponsesRule } from './parts.js';

/** provider-rules C1, C.1: ids of items. */
export const itemIdsValid: ResponsesRule = ({ items }, report) => {
  const seen = new Set<string>();
  return items.flatMap(({ path, type, id }) => {
    if (id === undefined || type === 'item_reference') return [];
    const place = `${path}.id`;
    const head = `Invalid '${quotedPath(place)}': '${id}'.`;
    const prefix = idPrefixes[type];
    const repeated = seen.has(id);
    seen.add(id);
    if (repeated) {
      const words = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      return [report(place, words)];
    }
    if (prefix !== undefined && !id.startsWith(prefix)) {
      return [report(place, `${head} Expected an ID that begins with '${prefix}'.`)];
    }
    if (!/^[A-Za-z0-9_-]+$/.test(id)) {
      return [report(place, `${head} Expected an ID that contains letters, numbers, underscores, or dashes.`)];
    }
    return id.length > 64 ? [report(place, `${head} Expected a string with maximum length 64.`)] : [];
  });
};

/** provider-rules C2, C.1: the server stores nothing, so references are refused. */
export const nothingIsStored: ResponsesRule = ({ body, items, issued }, report) => {
  const missing = (item: InputItem, path: string) => {
    const words =
      `Item with id '${item.id ?? ''}' not found. Items are not persisted when \`store\` is set to false. Try again with ` +
      '`store` set to true, or remove this item from your input.';
    return report(path, words, { status: 404 });
  };
  const previous = textIn(body.previous_response_id);
  return [
    ...(previous === undefined
      ? []
      : [
          report('previous_response_id', `Previous response with id '${previous}' not found.`, {
            code: 'previous_response_not_found',
          }),
        ]),
    ...items
      .filter(({ type, value, id }) => {
        if (type === 'item_reference') return true;
        if (type !== 'reasoning' || textIn(value.encrypted_content) !== undefined) return false;
        return body.store === false || id === undefined || issued?.isIssued(id) === false;
      })
      .map((item) => missing(item, 'input')),
  ];
};

/** provider-rules C3, C.1. */
export const reasoningHasSummary: ResponsesRule = ({ items }, report) =>
  items
    .filter(({ type, value }) => type === 'reasoning' && !Array.isArray(value.summary))
    .map(({ path }) =>
      report(`${path}.summary`, `Missing required parameter: '${quotedPath(path)}.summary'.`, {
        code: 'missing_required_parameter',
      }),
    );

/** provider-rules C4, C.1: consecutive reasoning items are followed by an output of the model. */
export const reasoningIsFollowed: ResponsesRule = ({ items }, report) =>
  items.flatMap((item, index) => {
    if (item.type !== 'reasoning') return [];
    const next = items[index + 1];
    if (next !== undefined && (next.type === 'reasoning' || isOutput(next))) return [];
    const words = `Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.`;
    return [report('input', words)];
  });

/** provider-rules C5, C.1: an item issued with reasoning directly follows the reasoning or another item issued with it. */
export const reasoningIsKept: ResponsesRule = ({ items, issued }, report) =>
  items.flatMap((item, index) => {
    if (issued === undefined || item.id === undefined) return [];
    const reasoning = issued.reasoningOf(item.id);
    if (reasoning === undefined) return [];
    const before = items.slice(0, index).findLast(({ id }) => id === undefined || issued.reasoningOf(id) !== reasoning);
    const isItsReasoning =
      before?.type === 'reasoning' &&
      (before.id === reasoning || issued.isEncryptedFor(textIn(before.value.encrypted_content) ?? '', reasoning));
    if (isItsReasoning) return [];
    const words = `Item '${item.id}' of type '${item.type}' was provided without its required 'reasoning' item: '${reasoning}'.`;
    return [report('input', words)];
  });

/** provider-rules C6, C.1: results follow their calls. */
export const resultsHaveCalls: ResponsesRule = ({ items }, report) => {
  const called = new Set<string>();
  return items.flatMap(({ type, callId = '' }) => {
    if (type === 'function_call') called.add(callId);
    if (type !== 'function_call_output' || called.has(callId)) return [];
    return [report('input', `No tool call found for function call output with call_id ${callId}.`)];
  });
};

/** provider-rules C7, C.1: calls have results. */
export const callsHaveResults: ResponsesRule = ({ items }, report) => {
  const answered = new Set(items.flatMap(({ type, callId }) => (type === 'function_call_output' ? [callId] : [])));
  return items
    .filter(({ type, callId }) => type === 'function_call' && !answered.has(callId))
    .map(({ callId }) => report('input', `No tool output found for function call ${callId ?? ''}.`));
};

/** provider-rules C8, C.1. */
export const callIdsValid: ResponsesRule = ({ items }, report) =>
  items.flatMap(({ type, path, callId }) => {
    if (type !== 'function_call' && type !== 'function_call_output') return [];
    const place = `${path}.call_id`;
    if (callId === undefined || callId === '') {
      const words = `Missing required parameter: '${quotedPath(place)}'.`;
      return [report(place, words, { code: 'missing_required_parameter' })];
    }
    if (callId.length <= 64) return [];
    const words = `string too long. Expected a string with maximum length 64, but got a string with length ${callId.length} instead.`;
    return [report(place, `Invalid '${quotedPath(place)}': ${words}`, { code: 'string_above_max_length' })];
  });

const inputParts: readonly string[] = ['input_text', 'input_image', 'input_file', 'input_audio'];
const outputParts: readonly string[] = ['output_text', 'refusal'];

/** provider-rules C9, C.1: content types by role. */
export const contentFitsRole: ResponsesRule = ({ items }, report) =>
  items.flatMap(({ type, path, role, value }) => {
    if (type !== 'message') return [];
    const allowed = role === 'assistant' ? outputParts : inputParts;
    return listIn(value.content).flatMap((part, index) => {
      const kind = textIn(objectIn(part)?.type) ?? '';
      if (allowed.includes(kind)) return [];
      const words = `Invalid value: '${kind}'. Supported values are: ${allowed.map((name) => `'${name}'`).join(', ')}.`;
      return [report(`${path}.content.${index}.type`, words, { code: 'invalid_value' })];
    });
  });

/** provider-rules C10: encrypted reasoning is unchanged and has the id that it was issued with. */
export const encryptedContentIsOurs: ResponsesRule = ({ items, issued }, report) =>
  items.flatMap(({ type, id, value }) => {
    const content = textIn(value.encrypted_content);
    if (type !== 'reasoning' || content === undefined || issued === undefined) return [];
    if (issued.isEncryptedFor(content, id)) return [];
    const words = `The encrypted content for item ${id ?? ''} could not be verified.`;
    return [report('input', words, { code: 'invalid_encrypted_content' })];
  });

/** provider-rules C-text: ill-formed text is refused, also in arguments. */
export const textWellFormed: ResponsesRule = ({ body, items }, report) => {
  const place = placeOfHalf(body);
  if (place !== undefined) return [report(place, halfInBody)];
  return items
    .filter(({ type, value }) => type === 'function_call' && parsesToHalf(value.arguments))
    .map(({ path }) => report(`${path}.arguments`, halfInBody));
};

/** provider-rules C-call-ids: each id has one call and one output. */
export const callIdsUnique: ResponsesRule = ({ items }, report) => {
  const seen = new Set<string>();
  return items.flatMap(({ type, path, callId }) => {
    if ((type !== 'function_call' && type !== 'function_call_output') || callId === undefined) return [];
    const key = `${type} ${callId}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    if (!isRepeated) return [];
    const words =
      type === 'function_call'
        ? `Duplicate function call found with call_id ${callId}.`
        : `Duplicate tool output found for function call ${callId}.`;
    return [report(`${path}.call_id`, words)];
  });
};

/** provider-rules C-approvals: the answer to a request for approval comes with the request. */
export const approvalsHaveRequests: ResponsesRule = ({ items }, report) => {
  const requested = new Set(items.flatMap(({ type, id }) => (type === 'mcp_approval_request' ? [id] : [])));
  const orphaned = items.flatMap(({ type, value }) => {
    const answered = textIn(value.approval_request_id);
    return type === 'mcp_approval_response' && !requested.has(answered) ? [answered ?? ''] : [];
  });
  if (orphaned.length === 0) return [];
  const words = "The following MCP approval requests have approval responses but weren't passed as input";
  return [report('input', `${words}: ${orphaned.join(', ')}`)];
};

/** The item types of the SDK. Tool calls and their outputs are recognised by their suffixes. */
const itemTypes = new Set([
  ...['message', 'reasoning', 'item_reference', 'compaction', 'compaction_trigger', 'additional_tools'],
  ...[
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
    'tool_search_output',
    'program',
    'program_output',
  ],
]);

/** provider-rules C-item-type: items that exist. */
export const itemTypesKnown: ResponsesRule = ({ items }, report) =>
  items
    .filter(({ type }) => type !== '' && !itemTypes.has(type) && !/_call(?:_output)?$/.test(type))
    .map(({ path, type }) => report(`${path}.type`, `Invalid value: '${type}'.`, { code: 'invalid_value' }));

const outputOfCallParts: readonly string[] = ['input_text', 'input_image', 'input_file'];

/** provider-rules C-output-parts: the part types of an output exist, and its texts are not empty. */
export const outputPartsFit: ResponsesRule = ({ items }, report) =>
  items.flatMap(({ type, path, value }) => {
    if (type !== 'function_call_output') return [];
    return listIn(value.output).flatMap((part, index) => {
      const { type: kind, text } = objectIn(part) ?? {};
      const place = `${path}.output.${index}`;
      if (!outputOfCallParts.includes(textIn(kind) ?? '')) {
        const supported = outputOfCallParts.map((name) => `'${name}'`).join(', ');
        const words = `Invalid value: '${textIn(kind) ?? ''}'. Supported values are: ${supported}.`;
        return [report(`${place}.type`, words, { code: 'invalid_value' })];
      }
      if (text !== '') return [];
      return [report(`${place}.text`, `Invalid '${quotedPath(place)}.text': a string that is not empty is required.`)];
    });
  });

/** provider-rules C-empty-list: lists are not empty; `tools` may be, as agents send it. */
export const listsNotEmpty: ResponsesRule = ({ items }, report) =>
  items
    .map(({ path, type, value }) =>
      type === 'message'
        ? { path: `${path}.content`, value: value.content }
        : { path: `${path}.output`, value: type === 'function_call_output' ? value.output : undefined },
    )
    .filter(({ value }) => Array.isArray(value) && value.length === 0)
    .map(({ path }) => {
      const words = `Invalid '${quotedPath(path)}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
      return report(path, words, { code: 'empty_array' });
    });

/** provider-rules C-tools: a history with calls needs tools. */
export const toolsDefined: ResponsesRule = ({ body, items }, report) =>
  body.tools === undefined && items.some(({ type }) => type === 'function_call' || type === 'function_call_output')
    ? [report('tools', 'Requests which include tool calls or their results must define tools.')]
    : [];
