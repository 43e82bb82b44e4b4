import { objectIn, textIn } from '../wire/wire-json.js';
import { isThinking } from './parts.js';
import type { AnthropicTurn, Rule, Rules } from './parts.js';

/** Allows thinking between calls in manual mode. The thinking budget may then exceed `max_tokens`. */
const interleaved = 'interleaved-thinking-2025-05-14';
/** Enables `thinking.block_binding` in a request and `input_transformations` in an answer. */
export const bindingControls = 'thinking-binding-controls-2026-08-01';
/** Each enables `output_config` in a system message: pi 1.5.2 sends the first, Claude Code 2.1.332 the second. */
const settingsControls = ['mid-conversation-output-config-2026-07-01', 'per-turn-control-2026-07-01'];

const refusedTypes: Readonly<Record<string, string>> = {
  enabled:
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to ' +
    'control thinking behavior.',
  adaptive: 'adaptive thinking is not supported on this model',
  disabled: '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode.',
};

/** provider-rules A15, A.5: the thinking settings that a model accepts. */
const configuration: Rule = ({ body, betas, endpoint, model }, report) => {
  if (body.thinking === undefined) return [];
  const thinking = objectIn(body.thinking) ?? {};
  const type = textIn(thinking.type) ?? '';
  const words = refusedTypes[type];
  if (words === undefined) return [report('thinking', `unknown type '${type}'`)];
  if (!model.thinkingTypes.includes(type)) return [report('thinking', words)];
  if (type !== 'enabled') return [];
  const budget = Number(thinking.budget_tokens);
  if (!(Number.isInteger(budget) && budget >= 1_024)) {
    return [report('thinking.enabled.budget_tokens', 'a whole number of at least 1024 is required')];
  }
  const isBounded = endpoint === 'messages' && !betas.includes(interleaved);
  return isBounded && budget >= Number(body.max_tokens)
    ? [report('max_tokens', 'must be greater than `thinking.budget_tokens`')]
    : [];
};

/**
 * provider-rules A16, A.5: with manual thinking, the last assistant turn starts with thinking, both if results answer it and
 * if the model is to continue it. A model that does not interleave thinks only before the first call of a loop, so later
 * calls have no thinking: the start of the loop counts as the start of the turn.
 */
const turnStartsWithThinking: Rule = ({ body, turns }, report) => {
  if (objectIn(body.thinking)?.type !== 'enabled') return [];
  const asked = turns.findLastIndex(({ role, blocks }) => role === 'user' && !isAnswer(blocks));
  const loop = turns.slice(asked + 1).filter(({ role }) => role === 'assistant');
  const found = loop.at(-1)?.blocks[0];
  if (found === undefined || isThinking(found) || startsWithThinking(loop[0])) return [];
  return [
    report(
      `${found.path}.type`,
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${found.type}\`. When \`thinking\` is enabled, a final ` +
        '`assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` ' +
        'blocks).',
    ),
  ];
};

/** provider-rules A18, A.6. */
const bindingIsAllowed: Rule = ({ body, betas }, report) => {
  const thinking = objectIn(body.thinking);
  if (thinking?.block_binding === undefined) return [];
  const path = `thinking.${textIn(thinking.type) ?? ''}.block_binding`;
  if (!betas.includes(bindingControls) || thinking.type === 'disabled') {
    return [report(path, 'Extra inputs are not permitted')];
  }
  const behaviour = objectIn(thinking.block_binding)?.prefix_mismatch_behavior;
  return behaviour === undefined || behaviour === 'error' || behaviour === 'drop_block'
    ? []
    : [report(`${path}.prefix_mismatch_behavior`, "Input should be 'error' or 'drop_block'")];
};

/** provider-rules A-message-settings: only a system message has them, and only with a header. */
const messageSettings: Rule = ({ messages, betas }, report) =>
  messages
    .filter(({ settings }) => settings !== undefined)
    .filter(({ role }) => role !== 'system' || !settingsControls.some((beta) => betas.includes(beta)))
    .map(({ path }) => report(`${path}.output_config`, 'Extra inputs are not permitted'));

/** provider-rules A19, A.2. */
const samplingRefused: Rule = ({ body, model }, report) =>
  model.acceptsSampling
    ? []
    : ['temperature', 'top_p', 'top_k']
        .filter((name) => body[name] !== undefined)
        .map((name) => report(name, `\`${name}\` is deprecated for this model.`));

export const thinkingRules: Rules = {
  A15: configuration,
  A16: turnStartsWithThinking,
  A18: bindingIsAllowed,
  A19: samplingRefused,
  'A-message-settings': messageSettings,
};

function isAnswer(blocks: AnthropicTurn['blocks']): boolean {
  return blocks.some(({ type }) => type === 'tool_result');
}

function startsWithThinking(turn: AnthropicTurn | undefined): boolean {
  const first = turn?.blocks[0];
  return first !== undefined && isThinking(first);
}
