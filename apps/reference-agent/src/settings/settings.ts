import type { Immutable } from '@palimpsest/events';
import { z } from 'zod';
import { mcpServerSchema, serverNamePattern } from '@palimpsest/mcp/config';
import { efforts } from './efforts.js';

/** A table of optional values. Any other name in it is an error, so that a misspelt setting is never silently without effect. */
const table = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).partial();

const rules = (does: string) =>
  z
    .array(z.string().min(1))
    .describe(`Rules such as "run_command(npm test)", "run_command(git diff *)", "edit_file(src/**)". ${does}`);
const paths = (does: string) => z.array(z.string().min(1)).describe(does);

/** The schema of a configuration file, and of what the command line may set. Every value is optional. */
export const settingsSchema = table({
  $schema: z.string().describe('For editors: where the JSON schema of this file is.'),
  model: z
    .string()
    .min(1)
    .describe('The model that does the work: provider/name, such as "anthropic/claude-sonnet-5" or "ollama/qwen3".'),
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'must be an address with http:// or https://, such as http://localhost:8000/v1',
    })
    .describe(
      'The address of a compatible server, used for the model instead of the provider’s own. No key is needed.',
    ),
  smallModel: z
    .string()
    .min(1)
    .describe('The model for summaries and other small work: provider/name. Default: the model that does the work.'),
  maxCost: z.number().positive().describe('The run ends when its model calls have cost this much. Unit: USD.'),
  maxSteps: z.int().min(1).describe('The run ends after this many steps. Unit: model calls. Default: 500.'),
  maxOutputTokens: z
    .int()
    .min(1)
    .describe(
      'The longest answer of the model, thinking included. Unit: tokens. Default: what the model or its server allows.',
    ),
  effort: z
    .enum(efforts)
    .describe('How much the model thinks. Each model takes some of these. Default: what the model does by itself.'),
  retrySeconds: z
    .number()
    .min(0)
    .max(86_400)
    .describe('How long a failed call of the model is tried again; 0: not at all. Unit: seconds. Default: 120.'),
  toolCalls: z
    .enum(['native', 'text'])
    .describe('"text" is for models without tool calling: tools and calls are written as text. Default: "native".'),
  permissions: table({
    allow: rules('A call that a rule names runs without a question.'),
    ask: rules('A call that a rule names is asked about, even if another rule allows it.'),
    deny: rules('A call that a rule names never runs.'),
  }).describe(
    'Which tool calls run, are asked about, or are refused. Without a rule, what writes or runs is asked about.',
  ),
  sandbox: table({
    mode: z
      .enum(['auto', 'off', 'required'])
      .describe('"auto": commands run in a sandbox where one works. "required": not without one. Default: "auto".'),
    network: z.boolean().describe('Whether commands in the sandbox reach the network. Default: false.'),
    readable: paths('Folders outside the workspace that commands in the sandbox may read.'),
    writable: paths('Folders outside the workspace that commands in the sandbox may change.'),
  }).describe('Where commands run.'),
  context: table({
    instructions: paths('Files with instructions, in addition to AGENTS.md and the like, which are found.'),
    skillFolders: paths('Folders with skills, in addition to those that are found.'),
    disabledSkills: z.array(z.string().min(1)).describe('Names of skills that are not offered.'),
  }).describe('What the model is told of the workspace.'),
  mcp: table({
    servers: z
      .record(
        z.string().regex(serverNamePattern, "a name has at most 32 letters, digits, '-' and single '_'"),
        mcpServerSchema,
      )
      .describe('The servers by their names: the tools of a server are called mcp__NAME__TOOL.'),
  }).describe('MCP servers, whose tools the agent may call, if a rule or you allow it.'),
  templateFolder: z
    .string()
    .min(1)
    .describe('A folder with prompt templates (Jinja), which are used in the place of ours of the same names.'),
  condenser: z
    .record(z.string(), z.unknown())
    .describe(
      'How the history is condensed: a condenser by name with its options, a pipeline, or `use` with a package; or only `preset`.',
    ),
  enableDefaultCondenser: z
    .boolean()
    .describe(
      'Whether the default condenses the history where `condenser` is not there. false: nothing does. Default: true.',
    ),
  enable_default_condenser: z.boolean().describe('The same, as OpenHands writes it.'),
  core: table({
    enable_default_condenser: z.boolean().describe('The same, in the section where OpenHands V0 has it.'),
  }).describe('A section of OpenHands V0, with one setting.'),
});

/** The values of one layer of the configuration: a file, or the command line. Each setting stands under one name. */
export type SettingsValues = Omit<z.output<typeof settingsSchema>, 'enable_default_condenser' | 'core'>;

/** The settings that have a value without any configuration. */
const defaults = {
  maxSteps: 500,
  retrySeconds: 120,
  toolCalls: 'native',
  permissions: { allow: [], ask: [], deny: [] },
  sandbox: { mode: 'auto', network: false, readable: [], writable: [] },
  context: { instructions: [], skillFolders: [], disabledSkills: [] },
  mcp: { servers: {} },
  enableDefaultCondenser: true,
} satisfies SettingsValues;

/** A table of values, of which those are present that have a default. */
type WithDefaults<Values, Defaults> = Omit<Values, keyof Defaults> & {
  readonly [Key in keyof Defaults & keyof Values]-?: NonNullable<Values[Key]> extends
    readonly unknown[] | string | number | boolean
    ? NonNullable<Values[Key]>
    : WithDefaults<NonNullable<Values[Key]>, Defaults[Key]>;
};

/** The settings of a run: what the layers of the configuration come to. The schema describes each of them. */
export type Settings = WithDefaults<Immutable<SettingsValues>, typeof defaults> & {
  /** The folder of the file that names the condenser, from which its package and its prompts are found. */
  readonly condenserFolder?: string | undefined;
};

/** The settings of a run that nobody configured. */
export const defaultSettings: Settings = defaults;

/** One setting: its place in the schema, and how the values of several layers go together. */
export interface SettingKey {
  readonly path: readonly string[];
  /** The name of the key in messages: `sandbox.network`. */
  readonly name: string;
  /** The values of a list add up. Of any other setting the highest layer's value holds. */
  readonly isList: boolean;
  /** The values of a table of names add up; of each name the highest layer's value holds. */
  readonly isByName: boolean;
}

/** The settings that are tables of names. */
export const tablesOfNames: readonly string[] = ['mcp.servers'];

/** Keys of the schema that are no setting, or one that has another name here. */
const notHere: ReadonlySet<string> = new Set(['$schema', 'enable_default_condenser', 'core']);

/** Every setting of the schema, in its order. */
export const settingKeys: readonly SettingKey[] = keysIn(settingsSchema, []);

/** The settings that are paths. They are relative to the place of their layer; `~/` is the user's home. */
export const pathSettings: readonly string[] = [
  'sandbox.readable',
  'sandbox.writable',
  'context.instructions',
  'context.skillFolders',
  'templateFolder',
];

/** Returns the names that a table of the schema has. Undefined for what is no table of the schema. */
export function namesAt(path: readonly (string | number)[]): readonly string[] | undefined {
  let schema: unknown = settingsSchema;
  for (const key of path) {
    if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (schema instanceof z.ZodObject) schema = unwrapped((schema.shape as Record<string, unknown>)[key]);
    else return undefined;
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
}

/** Returns the value at a path of nested tables. */
export function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    table,
  );
}

/** Sets the value at a path of a table. Absent tables are made. */
export function setAt(table: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) table[key] = value;
  else setAt((table[key] ??= {}) as Record<string, unknown>, rest, value);
}

function keysIn(schema: z.ZodObject, before: readonly string[]): readonly SettingKey[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const path = [...before, key];
    const name = path.join('.');
    if (notHere.has(name)) return [];
    const inner = unwrapped(field);
    if (inner instanceof z.ZodObject) return keysIn(inner, path);
    return [{ path, name, isList: inner instanceof z.ZodArray, isByName: tablesOfNames.includes(name) }];
  });
}

function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

/** The address of the published schema. */
const address = 'https://unpkg.com/palimpsest/schemas/config.json';

/** Returns the JSON schema of a configuration file, for editors. Published as `schemas/config.json`. */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input', reused: 'inline' });
  return { $schema, $id: address, title: 'Configuration of palimpsest', ...schema };
}
