import { isNode, membersOf } from './jinja.js';
import type { JinjaNode } from './jinja.js';
import type { TemplatePlace, TemplateToken } from './template-part.js';

/** The place of each statement of a template. A statement is a text, `{{ … }}`, or a tag with its body. */
export type StatementPlaces = ReadonlyMap<JinjaNode, TemplatePlace>;

/** Tags inside a statement that do not begin a new one. */
const within = /^(?:else|end.*)$/;

/**
 * The library's nodes have no places, but each statement begins with one token, in the same order. Returns an empty result if
 * nodes and tokens do not match; errors then name no line.
 */
export function statementPlaces(program: JinjaNode, tokens: readonly TemplateToken[]): StatementPlaces {
  const beginnings = tokens.filter(({ type }, index) => {
    if (type !== 'OpenStatement') return type === 'Text' || type === 'Comment' || type === 'OpenExpression';
    return !within.test(tokens[index + 1]?.value ?? '');
  });
  const statements = [...statementsIn(program)];
  if (statements.length !== beginnings.length) return new Map();
  return new Map(
    statements.map((statement, index) => {
      const { file = '', line = 1 } = beginnings[index] ?? {};
      return [statement, { file, line }];
    }),
  );
}

function* statementsIn(node: JinjaNode): Generator<JinjaNode> {
  const members = membersOf(node);
  for (const name of ['body', 'alternate', 'defaultBlock']) {
    const block = members[name];
    if (!Array.isArray(block)) continue;
    for (const statement of block.filter(isNode)) {
      yield statement;
      yield* statementsIn(statement);
    }
  }
}
