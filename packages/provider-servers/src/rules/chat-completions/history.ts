import { resultsAfter } from '../wire/chat-parts.js';
import type { ChatRule } from '../wire/chat-parts.js';
import { halfInBody, parsesToHalf, placeOfHalf, listIn, objectIn, textIn } from '../wire/wire-json.js';
import { openaiModel } from '../wire/openai-models.js';
import { quotedPath } from '../wire/violation.js';
import type { OpenAIViolation } from '../wire/violation.js';

/** provider-rules B1, B.2: every call is answered before anything else follows. */
export const callsAnswered: ChatRule = ({ messages }, report) =>
  messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.calls.length === 0) return [];
    const answered = new Set(resultsAfter(messages, index).map(({ value }) => value.tool_call_id));
    const open = message.calls.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
    if (open.length === 0) return [];
    return [
      report(
        message.path,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
          `The following tool_call_ids did not have response messages: ${open.join(', ')}`,
      ),
    ];
  });

/** provider-rules B2, B.2: a result occurs once, in the group of its call. */
export const resultsHaveCalls: ChatRule = ({ messages }, report) => {
  const found: OpenAIViolation[] = [];
  let open: ReadonlySet<unknown> = new Set();
  let answered = new Set<unknown>();
  for (const message of messages) {
    if (message.role !== 'tool') {
      open = new Set(message.role === 'assistant' ? message.calls.map(({ id }) => id) : []);
      answered = new Set();
      continue;
    }
    const id = message.value.tool_call_id;
    if (!open.has(id)) {
      const words =
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      found.push(report(`${message.path}.role`, words));
    } else if (answered.has(id)) {
      found.push(report(`${message.path}.tool_call_id`, 'Invalid parameter: this tool call has a response already.'));
    }
    answered.add(id);
  }
  return found;
};

/** provider-rules B3, B.3: ids of calls. */
export const callIdsValid: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ calls }) => {
    const seen = new Set<string>();
    return calls.flatMap(({ path, id }) => {
      const repeated = seen.has(id);
      seen.add(id);
      const place = `${path}.id`;
      const head = `Invalid '${quotedPath(place)}'`;
      if (id === '') return [report(place, `${head}: a string that is not empty is required.`)];
      if (repeated) return [report(place, `${head}: ids must be unique in their message.`)];
      if (id.length <= 40) return [];
      const words = `string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`;
      return [report(place, `${head}: ${words}`, { code: 'string_above_max_length' })];
    });
  });

/** provider-rules B5, B.3: only an assistant message with calls may have no content. */
export const contentPresent: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, role, value, calls }) => {
    const { content } = value;
    if (typeof content === 'string' || (Array.isArray(content) && content.length > 0)) return [];
    const missing = content === null || content === undefined;
    const saidOtherwise = objectIn(value.function_call) ?? textIn(value.refusal);
    const mayMiss = role === 'assistant' && (calls.length > 0 || saidOtherwise !== undefined);
    if (missing && (mayMiss || role === 'function')) return [];
    const got = Array.isArray(content) ? 'an empty array' : content === null ? 'null' : typeof content;
    return [report(`${path}.content`, `Invalid value for 'content': expected a string, got ${got}.`)];
  });

/** provider-rules B6, B.3: arguments are JSON text, not JSON. */
export const argumentsAreText: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ calls }) =>
    calls
      .filter(({ called }) => typeof called.arguments !== 'string')
      .map(({ path }) =>
        report(
          `${path}.function.arguments`,
          `Invalid type for '${quotedPath(path)}.function.arguments': expected a string.`,
          { code: 'invalid_type' },
        ),
      ),
  );

/** provider-rules B-text: ill-formed text is refused, also in arguments, because servers parse them. */
export const textWellFormed: ChatRule = ({ body, messages }, report) => {
  const place = placeOfHalf(body);
  if (place !== undefined) return [report(place, halfInBody)];
  return messages.flatMap(({ calls }) =>
    calls
      .filter(({ called }) => parsesToHalf(called.arguments))
      .map(({ path }) => report(`${path}.function.arguments`, halfInBody)),
  );
};

const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
};

/** provider-rules B-part-type, B.3, and the SDK types: part types that their message allows, and no empty text in a result. */
export const partsFitRole: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, role, value }) => {
    const allowed = partTypes[role];
    if (allowed === undefined) return [];
    return listIn(value.content).flatMap((part, index) => {
      const { type, text } = objectIn(part) ?? {};
      const place = `${path}.content.${index}`;
      if (!allowed.includes(textIn(type) ?? '')) {
        const supported = allowed.map((name) => `'${name}'`).join(', ');
        const words = `Invalid value: '${textIn(type) ?? ''}'. Supported values are: ${supported}.`;
        return [report(`${place}.type`, words, { code: 'invalid_value' })];
      }
      if (role !== 'tool' || text !== '') return [];
      return [report(`${place}.text`, `Invalid '${quotedPath(place)}.text': a string that is not empty is required.`)];
    });
  });

/** provider-rules B-empty-list: lists are not empty. Rule B5 covers empty content. */
export const listsNotEmpty: ChatRule = ({ body, messages }, report) =>
  [
    { path: 'tools', value: body.tools },
    ...messages.map(({ path, value }) => ({ path: `${path}.tool_calls`, value: value.tool_calls })),
  ]
    .filter(({ value }) => Array.isArray(value) && value.length === 0)
    .map(({ path }) => {
      const words = `Invalid '${quotedPath(path)}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
      return report(path, words, { code: 'empty_array' });
    });

/** provider-rules B-tools: a history with calls needs tools, unless the model accepts no tools on this endpoint. */
export const toolsDefined: ChatRule = ({ body, model, messages }, report) =>
  body.tools === undefined &&
  openaiModel(model).chatTools !== 'never' &&
  messages.some(({ role, calls }) => role === 'tool' || calls.length > 0)
    ? [report('tools', 'Requests which include tool calls or their results must define tools.')]
    : [];
