import type { Tool, ToolCall } from '@palimpsest/events';
import type { SecurityRisk } from '../confirmation.js';
import { readArguments, toolset } from './call.js';
import type { Toolset } from './call.js';

/** The statements about each call that the model is asked for, in fields beside the tool's own input. */
export interface AskedOfModel {
  /**
   * The risk of the call, in `security_risk`; not asked for tools marked `readOnly`.
   * @defaultValue true where `confirmation` is `{ risk }` and there is no `assessRisk`
   */
  readonly risk?: boolean;
  /** A line that says what the call does, in `summary`. @defaultValue false */
  readonly summary?: boolean;
}

/** The statements of the model about a call. */
export interface StatedFields {
  /** Undefined when it was not asked, or said nothing that is a risk. */
  readonly risk?: SecurityRisk;
  readonly summary?: string;
}

/** A call as it is recorded and carried out, and what the model said of it. */
export interface CallWithFields {
  /** Without the fields, so that its arguments are the tool's own. Unchanged when it has none, is signed, or is not JSON. */
  readonly toolCall: ToolCall;
  readonly stated: StatedFields;
  readonly isAskedForRisk: boolean;
}

/** The tools of an agent whose model is asked for more than their input. */
export interface ToolsWithFields {
  readonly tools: Toolset;
  /** Takes the fields out of a call. Never throws. */
  readonly readRequestedFields: (call: ToolCall) => CallWithFields;
}

const fieldNames = { risk: 'security_risk', summary: 'summary' } as const;
type Field = keyof typeof fieldNames;

const fieldSchemas: Readonly<Record<Field, unknown>> = {
  risk: {
    type: 'string',
    enum: ['low', 'medium', 'high'],
    description:
      'The risk of this call. low: reads, or changes what is easily undone inside the workspace. medium: changes more than that, or ' +
      'installs. high: deletes, publishes, sends data away, touches credentials, or reaches outside the workspace.',
  },
  summary: { type: 'string', description: 'What this call does and why: one line of at most ten words.' },
};

/** The maximum length of a summary. Unit: characters. */
const maxSummary = 200;

/**
 * Adds the fields to what the model is told of the tools. A tool keeps a property of its own that has the name of a field, and a
 * tool whose schema is more than an object with properties keeps its schema. The model is not asked for the field then.
 *
 * @throws TypeError when two tools have the same name.
 */
export function withRequestedFields(tools: readonly Tool[], asked: AskedOfModel): ToolsWithFields {
  const fields = (['risk', 'summary'] as const).filter((field) => asked[field] === true);
  const plain = toolset(tools);
  if (fields.length === 0)
    return { tools: plain, readRequestedFields: (toolCall) => ({ toolCall, stated: {}, isAskedForRisk: false }) };
  const added = new Map(tools.map((tool) => [tool.name, fieldsOf(tool, fields)]));
  const none: AddedFields = { asked: [], taken: [] };
  return {
    tools: toolset(tools.map((tool) => withFields(tool, added.get(tool.name) ?? none))),
    readRequestedFields: (toolCall) => {
      const { asked: mine, taken } = added.get(toolCall.name) ?? none;
      return { ...takenFrom(toolCall, taken, mine), isAskedForRisk: mine.includes('risk') };
    },
  };
}

interface AddedFields {
  /** The fields that the model is asked for. */
  readonly asked: readonly Field[];
  /** The fields that are taken out of calls. Models also write those that other tools ask for. */
  readonly taken: readonly Field[];
}

function fieldsOf(tool: Tool, fields: readonly Field[]): AddedFields {
  const { inputSchema, annotations } = tool;
  if (!isPlainObject(inputSchema)) return { asked: [], taken: [] };
  const own = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const taken = fields.filter((field) => !Object.hasOwn(own, fieldNames[field]));
  return { taken, asked: taken.filter((field) => field !== 'risk' || annotations?.readOnly !== true) };
}

function withFields(tool: Tool, { asked, taken }: AddedFields): Tool {
  if (taken.length === 0) return tool;
  return {
    ...tool,
    inputSchema: asked.length === 0 ? tool.inputSchema : extended(tool.inputSchema, asked),
    parseInput: (json) => tool.parseInput(isRecord(json) ? without(json, taken) : json),
    execute: (input, context) => tool.execute(input, context),
  };
}

function extended(schema: Tool['inputSchema'], asked: readonly Field[]): Tool['inputSchema'] {
  const own = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as readonly unknown[]) : [];
  const added = Object.fromEntries(asked.map((field) => [fieldNames[field], fieldSchemas[field]]));
  return {
    ...schema,
    properties: { ...own, ...added },
    required: [...required, ...asked.map((field) => fieldNames[field])],
  };
}

function takenFrom(
  toolCall: ToolCall,
  taken: readonly Field[],
  asked: readonly Field[],
): Pick<CallWithFields, 'toolCall' | 'stated'> {
  const read = readArguments(toolCall.arguments);
  if (!isRecord(read.json)) return { toolCall, stated: {} };
  const given = read.json;
  const present = taken.filter((field) => Object.hasOwn(given, fieldNames[field]));
  if (present.length === 0) return { toolCall, stated: {} };
  const stated = {
    ...(asked.includes('risk') ? riskIn(given[fieldNames.risk]) : {}),
    ...(asked.includes('summary') ? summaryIn(given[fieldNames.summary]) : {}),
  };
  // Text that had to be repaired stays as the model wrote it, and so does what a provider has signed.
  const isFixed = ('repaired' in read && read.repaired !== undefined) || toolCall.thoughtSignature !== undefined;
  if (isFixed) return { toolCall, stated };
  return { toolCall: { ...toolCall, arguments: JSON.stringify(without(given, present)) }, stated };
}

function riskIn(value: unknown): Pick<StatedFields, 'risk'> {
  const risk = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return risk === 'low' || risk === 'medium' || risk === 'high' ? { risk } : {};
}

function summaryIn(value: unknown): Pick<StatedFields, 'summary'> {
  if (typeof value !== 'string') return {};
  const line = value.replace(/\s+/g, ' ').trim();
  const signs = [...line];
  const summary = signs.length > maxSummary ? `${signs.slice(0, maxSummary - 1).join('')}…` : line;
  return summary === '' ? {} : { summary };
}

function without(record: Readonly<Record<string, unknown>>, fields: readonly Field[]): Record<string, unknown> {
  const names = new Set<string>(fields.map((field) => fieldNames[field]));
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
}

/** Keywords that speak of properties: beside them an added one might never be valid. */
const composing = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'propertyNames', 'maxProperties'];

function isPlainObject(schema: Tool['inputSchema']): boolean {
  return schema.type === 'object' && !composing.some((keyword) => keyword in schema);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
