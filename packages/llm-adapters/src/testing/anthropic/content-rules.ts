import { textIn } from '../wire-json.js';
import { blocksIn, blocksOf, isThinking } from './request-parts.js';
import type { AnthropicBlock } from './request-parts.js';
import type { Rule, Rules } from './rule.js';

/** F.A9; A.3: no empty text, no turn that is all blank. */
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

/** F.A23; A.3: images of messages and of results. */
const imagesCounted: Rule = ({ turns, model }, report) => {
  const inResults = blocksOf(turns, 'tool_result').flatMap(({ value }) =>
    blocksIn(value.content, '').filter(({ type }) => type === 'image'),
  );
  const count = blocksOf(turns, 'image').length + inResults.length;
  return count > model.maxImages ? [report('messages', `${count} images > ${model.maxImages} maximum`)] : [];
};

/** A.2, without a row in F. */
const systemIsText: Rule = ({ body }, report) =>
  blocksIn(body.system, 'system')
    .filter(({ type }) => type !== 'text')
    .map(({ path }) => report(path, 'the system prompt is text'));

/** Seen as a 400: https://github.com/tailcallhq/forgecode/issues/2107 */
const thinkingNotFinal: Rule = ({ turns }, report) =>
  turns
    .filter(({ role, blocks }) => role === 'assistant' && isThinking({ type: blocks.at(-1)?.type ?? '' }))
    .map(({ path }) => report(path, 'The final block in an assistant message cannot be `thinking`.'));

export const contentRules: Rules = {
  A9: textNotBlank,
  A23: imagesCounted,
  'A-system': systemIsText,
  'A-final-thinking': thinkingNotFinal,
};
