import { halfInBody, placeOfHalf, textIn } from '../wire/wire-json.js';
import { blocksIn, blocksOf, isThinking } from './parts.js';
import type { AnthropicBlock, Rule, Rules } from './parts.js';

/** provider-rules A9, A.3: no empty text, no turn with only white space. */
const textNotBlank: Rule = ({ body, turns }, report) => {
  const emptyIn = (blocks: readonly AnthropicBlock[]) =>
    blocks
      .filter(({ type, value }) => type === 'text' && value.text === '')
      .map(({ path }) => report(path, 'text content blocks must be non-empty'));
  const inTurns = turns.flatMap((turn) => {
    const results = turn.blocks.filter(({ type }) => type === 'tool_result');
    const inResults = results.flatMap(({ path, value }) => emptyIn(blocksIn(value.content, `${path}.content`)));
    const empty = [...emptyIn(turn.blocks), ...inResults];
    const texts = turn.blocks.filter(({ type }) => type === 'text');
    const first = texts[0];
    if (empty.length > 0 || first === undefined) return empty;
    const isBlank = texts.every(({ value }) => (textIn(value.text) ?? '').trim() === '');
    return isBlank ? [report(first.path, 'text content blocks must contain non-whitespace text')] : [];
  });
  return [...emptyIn(blocksIn(body.system, 'system')), ...inTurns];
};

/** provider-rules A23, A.3: images of messages and of results. */
const imagesCounted: Rule = ({ turns, model }, report) => {
  const inResults = blocksOf(turns, 'tool_result').flatMap(({ value }) =>
    blocksIn(value.content, '').filter(({ type }) => type === 'image'),
  );
  const count = blocksOf(turns, 'image').length + inResults.length;
  return count > model.maxImages ? [report('messages', `${count} images > ${model.maxImages} maximum`)] : [];
};

/** provider-rules A-system, A.2. */
const systemIsText: Rule = ({ body }, report) =>
  blocksIn(body.system, 'system')
    .filter(({ type }) => type !== 'text')
    .map(({ path }) => report(path, 'the system prompt is text'));

/** provider-rules A-final-thinking. Seen as a 400: https://github.com/tailcallhq/forgecode/issues/2107 */
const thinkingNotFinal: Rule = ({ turns }, report) =>
  turns
    .filter(({ role, blocks }) => role === 'assistant' && isThinking({ type: blocks.at(-1)?.type ?? '' }))
    .map(({ path }) => report(path, 'The final block in an assistant message cannot be `thinking`.'));

/** provider-rules A-text. Seen as a 400 on every later request too: `no low surrogate in string`. */
const textWellFormed: Rule = ({ body }, report) => {
  const place = placeOfHalf(body);
  return place === undefined ? [] : [report(place, halfInBody)];
};

/** The block types of the SDK, including betas. Results of the provider's own tools are recognised by their suffix. */
const blockTypes = new Set([
  ...['text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'container_upload', 'compaction'],
  ...['tool_use', 'tool_result', 'server_tool_use', 'mcp_tool_use', 'mcp_tool_listing'],
  ...['tool_addition', 'tool_removal', 'fallback'],
]);

/** provider-rules A-block-type, A.3: blocks that exist. */
const blocksKnown: Rule = ({ turns }, report) =>
  turns.flatMap(({ blocks }) =>
    blocks
      .filter(({ type }) => !blockTypes.has(type) && !type.endsWith('_tool_result'))
      .map(({ path, type }) =>
        report(`${path}.type`, `Input tag '${type}' found using 'type' does not match any of the expected tags`),
      ),
  );

/** provider-rules A-empty-list: lists are not empty; `tools` may be, as agents send it. Rule A10 covers empty messages, A-error-content empty errors. */
const listsNotEmpty: Rule = ({ body, turns }, report) => {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  const blocks = turns.flatMap((turn) => turn.blocks);
  return [
    ...(isEmpty(body.system) ? ['system'] : []),
    ...(isEmpty(body.stop_sequences) ? ['stop_sequences'] : []),
    ...blocks
      .filter(({ type, value }) => type === 'tool_result' && value.is_error !== true && isEmpty(value.content))
      .map(({ path }) => `${path}.content`),
  ].map((path) => report(path, 'List should have at least 1 item'));
};

export const contentRules: Rules = {
  A9: textNotBlank,
  A23: imagesCounted,
  'A-system': systemIsText,
  'A-final-thinking': thinkingNotFinal,
  'A-text': textWellFormed,
  'A-block-type': blocksKnown,
  'A-empty-list': listsNotEmpty,
};
