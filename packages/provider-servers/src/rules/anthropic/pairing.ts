import type { Violation } from '../wire/violation.js';
import { textIn } from '../wire/wire-json.js';
import type { AnthropicBlock, AnthropicTurn, Rule, Rules } from './parts.js';

/** provider-rules A5, A.4: the very next turn answers every call. */
const callsAnswered: Rule = ({ turns }, report) =>
  turns.flatMap((turn, index) => {
    const calls = turn.blocks.filter(({ type }) => type === 'tool_use');
    if (turn.role !== 'assistant') return calls.map(({ path }) => report(path, 'only the assistant can call tools'));
    const answered = new Set(resultsOf(turns[index + 1]).map(resultId));
    const open = calls.filter(({ value }) => !answered.has(textIn(value.id) ?? ''));
    const first = open[0];
    if (first === undefined) return [];
    return [
      report(
        messagePath(first),
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(callId).join(', ')}. ` +
          'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      ),
    ];
  });

/** provider-rules A6, A.4: a result points to a call of the turn before. */
const resultsHaveCalls: Rule = ({ turns }, report) =>
  turns.flatMap((turn, index) => {
    const before = turns[index - 1];
    const calls = new Set(
      turn.role === 'user' && before?.role === 'assistant'
        ? before.blocks.filter(({ type }) => type === 'tool_use').map(callId)
        : [],
    );
    return turn.blocks
      .filter((block) => block.type === 'tool_result' && !calls.has(resultId(block)))
      .map((block) =>
        report(
          block.path,
          `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${resultId(block)}. ` +
            'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
        ),
      );
  });

/** provider-rules A7, A.3, A.4: ids are well formed, used once and answered once. */
const idsUnique: Rule = ({ turns }, report) => {
  const called = new Set<string>();
  return turns.flatMap((turn) => {
    const answered = new Set<string>();
    return turn.blocks.flatMap((block) => {
      if (block.type !== 'tool_use' && block.type !== 'tool_result') return [];
      const isCall = block.type === 'tool_use';
      const id = isCall ? callId(block) : resultId(block);
      const found: Violation[] = [];
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
        const field = isCall ? 'tool_use.id' : 'tool_result.tool_use_id';
        found.push(report(`${block.path}.${field}`, "String should match pattern '^[a-zA-Z0-9_-]+$'"));
      }
      const seen = isCall ? called : answered;
      if (seen.has(id)) {
        found.push(
          report(
            block.path,
            isCall
              ? '`tool_use` ids must be unique'
              : `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
          ),
        );
      }
      seen.add(id);
      return found;
    });
  });
};

/** provider-rules A8, A.4: results come before all other blocks. */
const resultsFirst: Rule = ({ turns }, report) =>
  turns.flatMap((turn) => {
    const firstOther = turn.blocks.findIndex(({ type }) => type !== 'tool_result');
    if (firstOther === -1) return [];
    return turn.blocks
      .slice(firstOther)
      .filter(({ type }) => type === 'tool_result')
      .map(({ path }) => report(path, 'tool_result blocks must come before all other blocks of their message'));
  });

export const pairingRules: Rules = {
  A5: callsAnswered,
  A6: resultsHaveCalls,
  A7: idsUnique,
  A8: resultsFirst,
};

function resultsOf(turn: AnthropicTurn | undefined): readonly AnthropicBlock[] {
  return turn?.role === 'user' ? turn.blocks.filter(({ type }) => type === 'tool_result') : [];
}

function callId({ value }: AnthropicBlock): string {
  return textIn(value.id) ?? '';
}

function resultId({ value }: AnthropicBlock): string {
  return textIn(value.tool_use_id) ?? '';
}

/** Checks calls: the provider names the message of an unanswered call, not the block. */
function messagePath({ path }: AnthropicBlock): string {
  return path.split('.').slice(0, 2).join('.');
}
