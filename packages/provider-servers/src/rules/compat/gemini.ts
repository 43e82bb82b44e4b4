import { resultsAfter } from '../wire/chat-parts.js';
import type { ChatCall, ChatRule } from '../wire/chat-parts.js';
import type { CompatProfile } from './profile.js';
import { listIn, objectIn, textIn } from '../wire/wire-json.js';
import type { JsonObject } from '../wire/wire-json.js';

const isInstruction = (role: string) => role === 'system' || role === 'developer';

/** D, Gemini: calls directly follow a user message or results. */
const callsAfterInput: ChatRule = ({ messages }, report) => {
  const turns = messages.filter(({ role }) => !isInstruction(role));
  return turns.flatMap(({ path, calls }, index) => {
    const before = turns[index - 1]?.role;
    if (calls.length === 0 || before === 'user' || before === 'tool') return [];
    const words =
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    return [report(path, words)];
  });
};

/** D, Gemini: as many results as calls. */
const groupsMatch: ChatRule = ({ messages }, report) =>
  messages.flatMap(({ path, calls }, index) => {
    if (calls.length === 0 || resultsAfter(messages, index).length === calls.length) return [];
    const words =
      'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
      'function call turn.';
    return [report(path, words)];
  });

/** The value that a client may send instead of a missing signature. */
const acceptedPlaceholder = 'skip_thought_signature_validator';
const signaturePrefix = 'signed-by-gemini-';

/** D, Gemini: in the current turn, the first call of each step carries its signature. */
const currentCallsSigned: ChatRule = ({ messages }, report) => {
  const turnStart = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(turnStart + 1).flatMap(({ calls }) => {
    const first = calls[0];
    if (first === undefined || signatureOf(first)?.startsWith(signaturePrefix) === true) return [];
    if (signatureOf(first) === acceptedPlaceholder) return [];
    const words = 'Function call is missing a thought_signature in functionCall parts.';
    return [report(first.path, words)];
  });
};

function signatureOf({ value }: ChatCall): string | undefined {
  return textIn(objectIn(objectIn(value.extra_content)?.google)?.thought_signature);
}

/** Signs the first call of an answer. */
function signFirstCall(message: JsonObject): JsonObject {
  const [first, ...others] = listIn(message.tool_calls);
  const call = objectIn(first);
  if (call === undefined) return message;
  const thought_signature = `${signaturePrefix}${textIn(call.id) ?? ''}`;
  return { ...message, tool_calls: [{ ...call, extra_content: { google: { thought_signature } } }, ...others] };
}

/** Gemini's OpenAI endpoint. Its errors are a list of one. @see provider-rules D */
export const gemini: CompatProfile = {
  name: 'gemini',
  basePath: '/v1beta/openai',
  dropsRules: ['B3', 'B7', 'B8', 'B9', 'B10', 'B11', 'B12', 'B-tools'],
  rules: {
    'D-gemini-call-place': callsAfterInput,
    'D-gemini-group-size': groupsMatch,
    'D-gemini-signature': currentCallsSigned,
  },
  overflow: ({ inputTokens, contextWindow }) => ({
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: `The input token count (${inputTokens}) exceeds the maximum number of tokens allowed (${contextWindow}).`,
  }),
  errorBody: ({ status, message, type }) => [
    { error: { code: status, message, status: status === 400 ? 'INVALID_ARGUMENT' : type.toUpperCase() } },
  ],
  decorate: signFirstCall,
};
