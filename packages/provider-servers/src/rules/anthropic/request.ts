import { cachingRules } from './caching.js';
import { contentRules } from './content.js';
import { envelopeRules } from './envelope.js';
import { pairingRules } from './pairing.js';
import { anthropicRequestParts } from './parts.js';
import type { AnthropicEndpoint, Rules } from './parts.js';
import { thinkingRules } from './thinking.js';
import { toolRules } from './tools.js';
import { reportFor } from '../wire/violation.js';
import type { Violation } from '../wire/violation.js';
import { objectIn } from '../wire/wire-json.js';

/** Information for {@link checkAnthropicRequest} that is not in the body. */
export interface AnthropicRequestContext {
  /** A token count is checked like a message, but has no `max_tokens`. @defaultValue `messages` */
  readonly endpoint?: AnthropicEndpoint;
  /** Values of the header `anthropic-beta`. @defaultValue none */
  readonly betas?: readonly string[];
}

export const anthropicRules: Rules = {
  ...envelopeRules,
  ...contentRules,
  ...pairingRules,
  ...toolRules,
  ...cachingRules,
  ...thinkingRules,
};

/**
 * Returns the violations for which Anthropic would refuse the body of a request. Empty if Anthropic would accept it. Reads only
 * the wire format and shares no code with the adapters. Rule A4 (consecutive messages of one role are merged) is applied first.
 *
 * Rules: the rules of section A that the page assigns to a checker. `anthropicServer` enforces the rules that need more than
 * the body: A17 (signatures), A21 (the window), A22 (bytes).
 *
 * @see provider-rules A
 */
export function checkAnthropicRequest(body: unknown, context: AnthropicRequestContext = {}): Violation[] {
  const object = objectIn(body);
  if (object === undefined) return [reportFor('A1')('', 'the body is not a JSON object')];
  const request = anthropicRequestParts(object, context.endpoint ?? 'messages', context.betas ?? []);
  return Object.entries(anthropicRules).flatMap(([name, rule]) => rule(request, reportFor(name)));
}
