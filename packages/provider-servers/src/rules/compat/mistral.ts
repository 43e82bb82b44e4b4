import type { ChatRule } from '../wire/chat-parts.js';
import type { CompatProfile } from './profile.js';
import { textIn } from '../wire/wire-json.js';

const orderCode = { code: '3230' };

/** D, Mistral: only results or an assistant message may follow a result. */
const resultsBeforeAssistant: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, role }, index) => {
    const before = messages[index - 1]?.role;
    if (before !== 'tool' || role === 'tool' || role === 'assistant') return [];
    return [report(`${path}.role`, `Unexpected role '${role}' after role 'tool'`, orderCode)];
  });

/** D, Mistral: the last message is from the user or a tool, or is an assistant message with `prefix: true`. */
const lastAsks: ChatRule = ({ messages }, report) => {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'user' || last.role === 'tool') return [];
  if (last.role === 'assistant' && last.value.prefix === true) return [];
  const words = `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last.role}`;
  return [report(`${last.path}.role`, words, orderCode)];
};

/** D, Mistral: ids consist of nine letters and digits. */
const idsOfNine: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, calls, role, value }) => {
    const ids = calls.map((call) => ({ place: `${call.path}.id`, id: call.id }));
    if (role === 'tool') ids.push({ place: `${path}.tool_call_id`, id: textIn(value.tool_call_id) ?? '' });
    return ids
      .filter(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id))
      .map(({ place, id }) => {
        const words = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
        return report(place, words, { code: '3280' });
      });
  });

/** Mistral. Its errors are flat. @see provider-rules D */
export const mistral: CompatProfile = {
  name: 'mistral',
  dropsRules: ['B3', 'B7', 'B8', 'B9', 'B10', 'B11', 'B12', 'B-tools'],
  rules: { 'D-mistral-order': resultsBeforeAssistant, 'D-mistral-last': lastAsks, 'D-mistral-ids': idsOfNine },
  streamsUsageUnasked: true,
  overflow: ({ inputTokens, contextWindow }) => ({
    status: 400,
    type: 'invalid_request_error',
    message: `Prompt contains ${inputTokens} tokens, too large for model with ${contextWindow} maximum context length`,
  }),
  errorBody: ({ message, type, param, code }) => ({
    object: 'error',
    message,
    type: code === '3230' ? 'invalid_request_message_order' : code === '3280' ? 'invalid_function_call' : type,
    param: param ?? null,
    code: code ?? null,
  }),
};
