import { anthropicRequestParts, blocksIn, claudeGeneration } from './anthropic-request-parts.js';
import type { AnthropicBlock, AnthropicRequestParts, AnthropicTurn } from './anthropic-request-parts.js';
import { reportFor } from './violation.js';
import type { Report, Violation } from './violation.js';
import { listIn, objectIn, textIn } from './wire-json.js';

type Rule = (request: AnthropicRequestParts, report: Report) => readonly Violation[];

/**
 * What Anthropic would refuse in the body of a Messages request; nothing when it would take it. Reads the wire format only
 * and shares no code with the adapters. Rule A4, the merging of neighbours of one role, happens before the others look.
 *
 * Rules: A1 to A11, A13 (names), A14, A26; `A-error-content` and `A-final-thinking`, which section F has no row for.
 *
 * @see provider-protocol section F
 */
export function checkAnthropicRequest(body: unknown): Violation[] {
  const object = objectIn(body);
  if (object === undefined) return [reportFor('A1')('', 'the body is not a JSON object')];
  const request = anthropicRequestParts(object);
  return Object.entries(rules).flatMap(([name, rule]) => rule(request, reportFor(name)));
}

/** F.A1; A.2. */
const requiredFields: Rule = ({ body, model, messages }, report) => {
  const found: Violation[] = [];
  if (model === '') found.push(report('model', 'Field required'));
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 0) {
    found.push(report('max_tokens', 'a whole number that is not negative is required'));
  }
  if (messages.length === 0) found.push(report('messages', 'at least one message is required'));
  if (messages.length > 100_000) found.push(report('messages', 'at most 100,000 messages are allowed'));
  return found;
};

/** F.A2; A.2. */
const firstIsUser: Rule = ({ messages }, report) =>
  messages[0] === undefined || messages[0].role === 'user'
    ? []
    : [report('messages.0', 'first message must use the "user" role')];

/** F.A3; A.2: roles, and where a system message may stand. */
const roles: Rule = ({ messages, model }, report) =>
  messages.flatMap((message, index) => {
    if (message.role === 'user' || message.role === 'assistant') return [];
    if (message.role !== 'system') return [report(message.path, `unexpected role '${message.role}'`)];
    if (index === 0) return [];
    if ((claudeGeneration(model) ?? 5) < 4.08)
      return [report(message.path, "role 'system' is not supported on this model")];
    const before = messages[index - 1];
    const after = messages[index + 1];
    const followsServerTool =
      before?.role === 'assistant' && before.blocks.at(-1)?.type.endsWith('server_tool_use') === true;
    const stands =
      (before?.role === 'user' || followsServerTool) &&
      (after === undefined || after.role === 'assistant') &&
      message.blocks.every(({ type }) => type === 'text');
    return stands
      ? []
      : [report(message.path, 'a system message is text after a user message, last or before an answer')];
  });

/** F.A5; A.4.1: the very next turn answers every call. */
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

/** F.A6; A.4.2: a result points to a call of the turn before. */
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

/** F.A7; A.3, A.4.3, A.4.4: ids are well formed, used once, answered once. */
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

/** F.A8; A.4.5: results stand before everything else. */
const resultsFirst: Rule = ({ turns }, report) =>
  turns.flatMap((turn) => {
    const firstOther = turn.blocks.findIndex(({ type }) => type !== 'tool_result');
    if (firstOther === -1) return [];
    return turn.blocks
      .slice(firstOther)
      .filter(({ type }) => type === 'tool_result')
      .map(({ path }) => report(path, 'tool_result blocks must come before all other blocks of their message'));
  });

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

/** F.A10; A.3: only an assistant message at the end may be empty. */
const contentNotEmpty: Rule = ({ messages }, report) =>
  messages
    .filter(
      (message, index) =>
        message.blocks.length === 0 && !(message.role === 'assistant' && index === messages.length - 1),
    )
    .map(({ path }) =>
      report(path, 'all messages must have non-empty content except for the optional final assistant message'),
    );

/** F.A11; A.2: no prefill from 4.6 on, and before that none that ends in white space. */
const lastIsNotAssistant: Rule = ({ messages, model }, report) => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  if ((claudeGeneration(model) ?? 5) >= 4.06) {
    const words =
      'This model does not support assistant message prefill. The conversation must end with a user message.';
    return [report(last.path, words)];
  }
  const final = last.blocks.at(-1);
  return final?.type === 'text' && /\s$/.test(textIn(final.value.text) ?? '')
    ? [report(final.path, 'final assistant content cannot end with trailing whitespace')]
    : [];
};

/** F.A13; A.3: tool names, declared and called. Keys of schemas are not looked at. */
const toolNamesValid: Rule = ({ body, turns }, report) => {
  const names = new Set<unknown>();
  const declared = listIn(body.tools).map((tool, index) => ({ path: `tools.${index}`, name: objectIn(tool)?.name }));
  const found = declared.flatMap(({ path, name }) => {
    const repeated = names.has(name);
    names.add(name);
    return repeated ? [report(path, 'Tool names must be unique.')] : [];
  });
  const called = turns
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_use'))
    .map(({ path, value }) => ({ path, name: value.name }));
  for (const { path, name } of [...declared, ...called]) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(textIn(name) ?? '')) {
      found.push(report(`${path}.name`, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"));
    }
  }
  return found;
};

/** F.A14; A.3: the input of a call is an object. */
const inputIsObject: Rule = ({ turns }, report) =>
  turns
    .flatMap(({ blocks }) =>
      blocks.filter(({ type, value }) => type === 'tool_use' && objectIn(value.input) === undefined),
    )
    .map(({ path }) => report(`${path}.tool_use.input`, 'Input should be a valid dictionary'));

/** F.A26; A.4.7: calls and results in the history need tools. */
const toolsDefined: Rule = ({ body, turns }, report) =>
  listIn(body.tools).length > 0
    ? []
    : turns
        .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tool_use' || type === 'tool_result'))
        .slice(0, 1)
        .map(() => report('tools', 'Requests which include `tool_use` or `tool_result` blocks must define tools'));

/** Seen as a 400: https://github.com/jlevy/markform/issues/153 */
const errorsHaveContent: Rule = ({ turns }, report) =>
  turns
    .flatMap(({ blocks }) => blocks.filter(({ type, value }) => type === 'tool_result' && value.is_error === true))
    .filter(({ value }) => blocksIn(value.content, '').length === 0)
    .map(({ path }) => report(`${path}.tool_result`, 'content cannot be empty if `is_error` is true'));

/** Seen as a 400: https://github.com/tailcallhq/forgecode/issues/2107 */
const thinkingNotFinal: Rule = ({ turns }, report) =>
  turns
    .filter(({ role, blocks }) => role === 'assistant' && /^(redacted_)?thinking$/.test(blocks.at(-1)?.type ?? ''))
    .map(({ path }) => report(path, 'The final block in an assistant message cannot be `thinking`.'));

const rules: Readonly<Record<string, Rule>> = {
  A1: requiredFields,
  A2: firstIsUser,
  A3: roles,
  A5: callsAnswered,
  A6: resultsHaveCalls,
  A7: idsUnique,
  A8: resultsFirst,
  A9: textNotBlank,
  A10: contentNotEmpty,
  A11: lastIsNotAssistant,
  A13: toolNamesValid,
  A14: inputIsObject,
  A26: toolsDefined,
  'A-error-content': errorsHaveContent,
  'A-final-thinking': thinkingNotFinal,
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

/** The provider names the message of an unanswered call, not the block. */
function messagePath({ path }: AnthropicBlock): string {
  return path.split('.').slice(0, 2).join('.');
}
