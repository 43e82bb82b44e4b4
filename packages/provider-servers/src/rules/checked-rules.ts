import { anthropicRules } from './anthropic/request.js';
import { compatProfiles } from './compat/profiles.js';
import { chatCompletionsRules } from './chat-completions/request.js';
import { responsesRules } from './responses/request.js';

/**
 * The rules that each checker enforces, by their rows in the list of provider rules. A server also enforces rules that need
 * more than the body.
 *
 * @see https://github.com/palimpsest-ts/palimpsest/blob/main/docs/provider-rules.md
 */
export const checkedRules: Readonly<
  Record<'anthropic' | 'chatCompletions' | 'responses' | 'compatible', readonly string[]>
> = {
  anthropic: Object.keys(anthropicRules),
  chatCompletions: Object.keys(chatCompletionsRules),
  responses: Object.keys(responsesRules),
  compatible: Object.values(compatProfiles).flatMap(({ rules = {} }) => Object.keys(rules)),
};
