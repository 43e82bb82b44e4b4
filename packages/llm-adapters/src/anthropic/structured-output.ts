import type { ToolDefinition } from '@palimpsest/events';
import type { JsonSchemaFormat } from '../llm.js';
import { modelName } from '../models/model-name.js';
import { isReadableInput, toolInput } from '../wire/tool-input.js';
import { enforceableSchema } from './enforceable-schema.js';

/** How a schema is enforced: by the provider, or by a tool whose input is the answer. */
export type StructuredOutput = 'format' | 'tool';

/** For models before 4.5 the provider does not enforce schemas. */
const before45 = /^claude-(?:\d|instant|[a-z]+-4(?:-[0-4])?$)/;

/**
 * Chooses the way for a format. A schema that must not or cannot be enforced becomes a tool, because the provider always
 * enforces a format.
 */
export function structuredOutputFor({ strict, schema }: JsonSchemaFormat, model: string): StructuredOutput {
  if (before45.test(modelName(model))) return 'tool';
  return (strict ?? enforceableSchema(schema) !== undefined) ? 'format' : 'tool';
}

/**
 * The schema in the form that the provider accepts. A schema that cannot be enforced is sent unchanged, and the provider
 * refuses it.
 */
export function formatSchema({ schema }: JsonSchemaFormat): JsonSchemaFormat['schema'] {
  const { $schema: _dialect, ...plain } = schema;
  return enforceableSchema(plain) ?? plain;
}

/** A tool whose input is the answer. */
export interface AnswerTool {
  readonly definition: ToolDefinition;
  /** The answer's JSON text for the JSON text of an input. An input that was cut stays as it is. */
  readonly answerOf: (input: string) => string;
}

/** The tool for a format. Its name is the format's name, or a derived name if another tool has that name. */
export function answerTool(format: JsonSchemaFormat, tools: readonly ToolDefinition[]): AnswerTool {
  const taken = new Set(tools.map(({ name }) => name));
  let name = format.name;
  for (let count = 2; taken.has(name); count++) name = `${format.name}_${count}`;
  const description = 'Takes the final answer. Call it once, with the whole answer as its input.';
  // The input of a tool is an object, so any other answer is wrapped in a field.
  if (format.schema.type === 'object') {
    return {
      definition: { name, description, inputSchema: format.schema },
      answerOf: (input) => input,
    };
  }
  return {
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties: { answer: format.schema }, required: ['answer'] },
    },
    answerOf: (input) => (isReadableInput(input) ? JSON.stringify(toolInput(input).answer ?? null) : input),
  };
}
