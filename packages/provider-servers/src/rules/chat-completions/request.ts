import {
  argumentsAreText,
  callIdsValid,
  callsAnswered,
  contentPresent,
  listsNotEmpty,
  partsFitRole,
  resultsHaveCalls,
  textWellFormed,
  toolsDefined,
} from './history.js';
import {
  cacheHintsFit,
  companionsPresent,
  namesValid,
  samplingFits,
  strictSchemasFit,
  toolsNotTooMany,
  toolsWithoutReasoning,
} from './parameters.js';
import { chatRequest } from '../wire/chat-parts.js';
import type { ChatRule } from '../wire/chat-parts.js';
import type { CompatProfileName } from '../compat/profile.js';
import { compatProfiles } from '../compat/profiles.js';
import { openaiReportFor } from '../wire/violation.js';
import type { OpenAIViolation } from '../wire/violation.js';
import { objectIn, textIn } from '../wire/wire-json.js';

/**
 * Returns the violations for which OpenAI, or a compatible server, would refuse the body of a Chat Completions request. Empty if
 * the server would accept it. Reads only the wire format and shares no code with the adapters.
 *
 * Rules: B0 to B12, and the rules with words as names. The server enforces B13 (the window) and B14 (the usage of a stream).
 *
 * @param server - a compatible server: it drops some rules and adds rules of its own, named after it
 * @see provider-rules B and D
 */
export function checkChatCompletionsRequest(body: unknown, server?: CompatProfileName): OpenAIViolation[] {
  const object = objectIn(body);
  if (object === undefined) return [openaiReportFor('B0')('', 'the body is not a JSON object')];
  const request = chatRequest(object);
  const profile = server === undefined ? undefined : compatProfiles[server];
  const kept = Object.entries(chatCompletionsRules).filter(([name]) => profile?.dropsRules?.includes(name) !== true);
  return [...kept, ...Object.entries(profile?.rules ?? {})].flatMap(([name, rule]) =>
    rule(request, openaiReportFor(name)),
  );
}

const knownRoles: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** B.1: the fields and roles that every request needs. */
const requiredFields: ChatRule = ({ body, messages }, report) => [
  ...(textIn(body.model) === undefined ? [report('model', 'you must provide a model parameter')] : []),
  ...(messages.length === 0 ? [report('messages', 'a list with at least one message is required')] : []),
  ...messages
    .filter(({ role }) => !knownRoles.includes(role))
    .map(({ path, role }) => report(`${path}.role`, `Invalid value: '${role}'.`, { code: 'invalid_value' })),
];

export const chatCompletionsRules: Readonly<Record<string, ChatRule>> = {
  B0: requiredFields,
  B1: callsAnswered,
  B2: resultsHaveCalls,
  B3: callIdsValid,
  B4: namesValid,
  B5: contentPresent,
  B6: argumentsAreText,
  B7: toolsNotTooMany,
  B8: toolsWithoutReasoning,
  B9: samplingFits,
  B10: strictSchemasFit,
  B11: cacheHintsFit,
  B12: companionsPresent,
  'B-text': textWellFormed,
  'B-part-type': partsFitRole,
  'B-empty-list': listsNotEmpty,
  'B-tools': toolsDefined,
};
