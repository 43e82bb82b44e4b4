import { resultsAfter } from './chat-completions-parts.js';
import type { ChatRule } from './chat-completions-parts.js';
import { quotedPath } from './openai-violation.js';
import type { OpenAIViolation } from './openai-violation.js';
import { objectIn, textIn } from './wire-json.js';

/** F.B1; B.2: every call is answered before anything else follows. */
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

/** F.B2; B.2: a result stands in the group of its call, once. */
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

/** F.B3; B.3: ids of calls. */
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

/** F.B5; B.3: only an assistant message that calls may have no content. */
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

/** F.B6; B.3: arguments are JSON text, not JSON. */
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
