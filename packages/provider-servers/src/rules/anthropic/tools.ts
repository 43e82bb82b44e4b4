import { listIn, objectIn, textIn } from '../wire/wire-json.js';
import { blocksIn, blocksOf } from './parts.js';
import type { Rule, Rules } from './parts.js';

const namePattern = '^[a-zA-Z0-9_-]{1,128}$';
const keyPattern = '^[a-zA-Z0-9_.-]{1,64}$';

/** provider-rules A13, A.3: names of declared and called tools, and the top-level keys of their input schemas. */
const namesValid: Rule = ({ body, turns }, report) => {
  const names = new Set<unknown>();
  const declared = listIn(body.tools).flatMap((value, index) => {
    const tool = objectIn(value) ?? {};
    const path = `tools.${index}.custom`;
    const isRepeated = names.has(tool.name);
    names.add(tool.name);
    const keys = Object.keys(objectIn(objectIn(tool.input_schema)?.properties) ?? {});
    return [
      ...(new RegExp(namePattern).test(textIn(tool.name) ?? '')
        ? []
        : [report(`${path}.name`, `String should match pattern '${namePattern}'`)]),
      ...(keys.every((key) => new RegExp(keyPattern).test(key))
        ? []
        : [report(`${path}.input_schema.properties`, `Property keys should match pattern '${keyPattern}'`)]),
      ...(isRepeated ? [report('tools', 'Tool names must be unique.')] : []),
    ];
  });
  const called = blocksOf(turns, 'tool_use')
    .filter(({ value }) => !new RegExp(namePattern).test(textIn(value.name) ?? ''))
    .map(({ path }) => report(`${path}.tool_use.name`, `String should match pattern '${namePattern}'`));
  return [...declared, ...called];
};

/** provider-rules A14, A.3: the input of a call is an object. */
const inputIsObject: Rule = ({ turns }, report) =>
  blocksOf(turns, 'tool_use')
    .filter(({ value }) => objectIn(value.input) === undefined)
    .map(({ path }) => report(`${path}.tool_use.input`, 'Input should be a valid dictionary'));

/** provider-rules A20, A.2, A.5: when a tool call can be forced. Thinking matters only if the request enables it. */
const toolsForced: Rule = ({ body, model }, report) => {
  const type = textIn(objectIn(body.tool_choice)?.type);
  if (type !== 'any' && type !== 'tool') return [];
  if (!model.acceptsForcedTools) {
    return [report('tool_choice', 'type "tool" and "any" are not supported for this model.')];
  }
  const thinking = textIn(objectIn(body.thinking)?.type);
  return thinking === 'enabled' || thinking === 'adaptive'
    ? [report('tool_choice', 'Thinking may not be enabled when tool_choice forces tool use.')]
    : [];
};

/** provider-rules A26, A.4: a history with calls and results needs tools. */
const toolsDefined: Rule = ({ body, turns }, report) =>
  listIn(body.tools).length === 0 && [...blocksOf(turns, 'tool_use'), ...blocksOf(turns, 'tool_result')].length > 0
    ? [report('tools', 'Requests which include `tool_use` or `tool_result` blocks must define tools')]
    : [];

/** Seen as a 400: https://github.com/jlevy/markform/issues/153 */
const errorsHaveContent: Rule = ({ turns }, report) =>
  blocksOf(turns, 'tool_result')
    .filter(({ value }) => value.is_error === true && blocksIn(value.content, '').length === 0)
    .map(({ path }) => report(`${path}.tool_result`, 'content cannot be empty if `is_error` is true'));

const resultTypes = new Set(['text', 'image', 'document', 'search_result', 'tool_reference']);

/** provider-rules A-result-content, A.3: the allowed content of a result. */
const resultsHoldContent: Rule = ({ turns }, report) =>
  blocksOf(turns, 'tool_result').flatMap(({ path, value }) =>
    blocksIn(value.content, `${path}.tool_result.content`)
      .filter(({ type }) => !resultTypes.has(type))
      .map((block) => report(block.path, `a result holds ${[...resultTypes].join(', ')}, not '${block.type}'`)),
  );

export const toolRules: Rules = {
  A13: namesValid,
  A14: inputIsObject,
  A20: toolsForced,
  A26: toolsDefined,
  'A-error-content': errorsHaveContent,
  'A-result-content': resultsHoldContent,
};
