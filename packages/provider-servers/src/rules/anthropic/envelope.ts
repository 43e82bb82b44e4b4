import { listIn, textIn } from '../wire/wire-json.js';
import type { Rule, Rules } from './parts.js';

/** provider-rules A1, A.2. A token count has no `max_tokens`. */
const requiredFields: Rule = ({ body, endpoint, messages }, report) => [
  ...(textIn(body.model) === undefined || body.model === '' ? [report('model', 'Field required')] : []),
  ...(endpoint === 'messages' && !(Number.isInteger(body.max_tokens) && Number(body.max_tokens) >= 0)
    ? [report('max_tokens', 'a whole number that is not negative is required')]
    : []),
  ...(messages.length === 0 ? [report('messages', 'at least one message is required')] : []),
  ...(messages.length > 100_000 ? [report('messages', 'at most 100,000 messages are allowed')] : []),
];

/** provider-rules A2, A.2. */
const firstIsUser: Rule = ({ messages }, report) =>
  messages[0] === undefined || messages[0].role === 'user'
    ? []
    : [report('messages.0', 'first message must use the "user" role')];

/** Each lets a system message add and remove tools. */
const toolChanges = ['inline-tools-2026-09-15', 'mid-conversation-tool-changes-2026-07-01'];

/**
 * provider-rules A3, A.2: roles, and the allowed positions of a system message. Neighbours of the role count as one, because agents
 * send one with words and one with settings.
 */
const roles: Rule = ({ turns, betas, model }, report) =>
  turns.flatMap((turn, index) => {
    if (turn.role === 'user' || turn.role === 'assistant') return [];
    if (turn.role !== 'system') return [report(turn.path, `unexpected role '${turn.role}'`)];
    if (index === 0) return [];
    if (!model.acceptsSystemMessages) return [report(turn.path, "role 'system' is not supported on this model")];
    const before = turns[index - 1];
    const after = turns[index + 1];
    const followsServerTool = before?.role === 'assistant' && before.blocks.at(-1)?.type === 'server_tool_use';
    const types = ['text', ...(toolChanges.some((beta) => betas.includes(beta)) ? toolChangeBlocks : [])];
    const stands =
      (before?.role === 'user' || followsServerTool) &&
      (after === undefined || after.role === 'assistant') &&
      turn.blocks.every(({ type }) => types.includes(type));
    return stands ? [] : [report(turn.path, 'a system message is text after a user message, last or before an answer')];
  });

const toolChangeBlocks = ['tool_addition', 'tool_removal'];

/** provider-rules A10, A.3: only an assistant message at the end may be empty, and a system message that brings settings. */
const contentNotEmpty: Rule = ({ messages }, report) =>
  messages
    .filter(
      ({ role, blocks, settings }, index) =>
        blocks.length === 0 &&
        !(role === 'assistant' && index === messages.length - 1) &&
        !(role === 'system' && settings !== undefined),
    )
    .map(({ path }) =>
      report(path, 'all messages must have non-empty content except for the optional final assistant message'),
    );

/** provider-rules A11, A.2: no prefill from 4.6 on. For older models, no prefill that ends in white space. */
const lastIsNotAssistant: Rule = ({ messages, model }, report) => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  if (!model.acceptsPrefill) {
    const words =
      'This model does not support assistant message prefill. The conversation must end with a user message.';
    return [report(last.path, words)];
  }
  const final = last.blocks.at(-1);
  return final?.type === 'text' && /\s$/.test(textIn(final.value.text) ?? '')
    ? [report(final.path, 'final assistant content cannot end with trailing whitespace')]
    : [];
};

/** provider-rules A24, A.2. */
const stopSequencesNotBlank: Rule = ({ body }, report) =>
  listIn(body.stop_sequences).flatMap((sequence, index) =>
    (textIn(sequence) ?? '').trim() === ''
      ? [report(`stop_sequences.${index}`, 'each stop sequence must contain non-whitespace')]
      : [],
  );

const countedFields = [
  'messages',
  'model',
  'cache_control',
  'output_config',
  'speed',
  'system',
  'thinking',
  'tool_choice',
  'tools',
];
const messageFields = [
  ...countedFields,
  'max_tokens',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
];
/** Fields of betas. The rule does not check which header enables which field. */
const betaFields = [
  'compaction',
  'context_management',
  'fallback_credit_token',
  'fallbacks',
  'mcp_servers',
  'output_format',
  'thread',
];

/** provider-rules A25, A.2. */
const fieldsKnown: Rule = ({ body, endpoint, betas }, report) => {
  const known = new Set([
    ...(endpoint === 'messages' ? messageFields : countedFields),
    ...(betas.length > 0 ? betaFields : []),
  ]);
  return Object.keys(body)
    .filter((name) => body[name] !== undefined && !known.has(name))
    .map((name) => report(name, 'Extra inputs are not permitted'));
};

/** provider-rules A-max-output, A.2. Applies to the models in the table. */
const outputWithinModel: Rule = ({ body, model }, report) => {
  const { maxOutputTokens } = model;
  const asked = Number(body.max_tokens);
  if (maxOutputTokens === undefined || !(asked > maxOutputTokens)) return [];
  const limit = `${asked} > ${maxOutputTokens}, which is the maximum allowed number of output tokens`;
  return [report('max_tokens', `${limit} for ${textIn(body.model) ?? ''}`)];
};

export const envelopeRules: Rules = {
  A1: requiredFields,
  A2: firstIsUser,
  A3: roles,
  A10: contentNotEmpty,
  A11: lastIsNotAssistant,
  A24: stopSequencesNotBlank,
  A25: fieldsKnown,
  'A-max-output': outputWithinModel,
};
