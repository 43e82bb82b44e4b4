import { z } from 'zod';
import { efforts } from './efforts.js';
import type { Effort } from './efforts.js';
import { mcpServerSchema, serverNamePattern } from '@palimpsest/mcp/config';
import type { McpServerSettings } from '@palimpsest/mcp/config';

/** A table of other names than these is an error, so that a misspelt setting is never silently without effect. */
const table = z.strictObject;
const rules = (does: string) =>
  z
    .array(z.string().min(1))
    .optional()
    .describe(`Rules such as "run_command(npm test)", "run_command(git diff *)", "edit_file(src/**)". ${does}`);
const defaultSwitch = z.boolean().optional();
const paths = (does: string) => z.array(z.string().min(1)).optional().describe(does);

/** What a configuration file, or the command line, may set. Every value is optional. */
export const settingsSchema = table({
  $schema: z.string().optional().describe('For editors: where the JSON schema of this file is.'),
  model: z
    .string()
    .min(1)
    .optional()
    .describe('The model that does the work: provider/name, such as "anthropic/claude-sonnet-5" or "ollama/qwen3".'),
  baseUrl: z
    .url({
      protocol: /^https?$/,
      error: 'must be an address with http:// or https://, such as http://localhost:8000/v1',
    })
    .optional()
    .describe(
      'The address of a compatible server, used for the model instead of the provider’s own. No key is needed.',
    ),
  smallModel: z
    .string()
    .min(1)
    .optional()
    .describe('The model for summaries and other small work: provider/name. Default: the model that does the work.'),
  maxCost: z
    .number()
    .positive()
    .optional()
    .describe('The run ends when its model calls have cost this much. Unit: USD.'),
  maxSteps: z.int().min(1).optional().describe('The run ends after this many steps. Unit: model calls. Default: 500.'),
  maxOutputTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      'The longest answer of the model, thinking included. Unit: tokens. Default: what the model or its server allows.',
    ),
  effort: z
    .enum(efforts)
    .optional()
    .describe('How much the model thinks. Each model takes some of these. Default: what the model does by itself.'),
  retrySeconds: z
    .number()
    .min(0)
    .max(86_400)
    .optional()
    .describe('How long a failed call of the model is tried again; 0: not at all. Unit: seconds. Default: 120.'),
  toolCalls: z
    .enum(['native', 'text'])
    .optional()
    .describe('"text" is for models without tool calling: tools and calls are written as text. Default: "native".'),
  permissions: table({
    allow: rules('A call that a rule names runs without a question.'),
    ask: rules('A call that a rule names is asked about, even if another rule allows it.'),
    deny: rules('A call that a rule names never runs.'),
  })
    .optional()
    .describe(
      'Which tool calls run, are asked about, or are refused. Without a rule, what writes or runs is asked about.',
    ),
  sandbox: table({
    mode: z
      .enum(['auto', 'off', 'required'])
      .optional()
      .describe('"auto": commands run in a sandbox where one works. "required": not without one. Default: "auto".'),
    network: z.boolean().optional().describe('Whether commands in the sandbox reach the network. Default: false.'),
    readable: paths('Folders outside the workspace that commands in the sandbox may read.'),
    writable: paths('Folders outside the workspace that commands in the sandbox may change.'),
  })
    .optional()
    .describe('Where commands run.'),
  context: table({
    instructions: paths('Files with instructions, in addition to AGENTS.md and the like, which are found.'),
    skillFolders: paths('Folders with skills, in addition to those that are found.'),
    disabledSkills: z.array(z.string().min(1)).optional().describe('Names of skills that are not offered.'),
  })
    .optional()
    .describe('What the model is told of the workspace.'),
  mcp: table({
    servers: z
      .record(
        z.string().regex(serverNamePattern, "a name has at most 32 letters, digits, '-' and single '_'"),
        mcpServerSchema,
      )
      .optional()
      .describe('The servers by their names: the tools of a server are called mcp__NAME__TOOL.'),
  })
    .optional()
    .describe('MCP servers, whose tools the agent may call, if a rule or you allow it.'),
  templateFolder: z
    .string()
    .min(1)
    .optional()
    .describe('A folder with prompt templates (Jinja), which are used in the place of ours of the same names.'),
  condenser: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'How the history is condensed: a condenser by name with its options, a pipeline, or `use` with a package; or only `preset`.',
    ),
  enableDefaultCondenser: defaultSwitch.describe(
    'Whether the default condenses the history where `condenser` is not there. false: nothing does. Default: true.',
  ),
  enable_default_condenser: defaultSwitch.describe('The same, as OpenHands writes it.'),
  core: table({
    enable_default_condenser: defaultSwitch.describe('The same, in the section where OpenHands V0 has it.'),
  })
    .optional()
    .describe('A section of OpenHands V0, with one setting.'),
});

/** The values of one layer of the configuration: a file, or the command line. Each setting stands under one name. */
export type SettingsValues = Omit<z.output<typeof settingsSchema>, 'enable_default_condenser' | 'core'>;

/** The settings of a run: what the layers of the configuration come to. */
export interface Settings {
  /** `provider/name`. Undefined if none was chosen. */
  readonly model?: string | undefined;
  /** Replaces the address of the model's provider. */
  readonly baseUrl?: string | undefined;
  /** `provider/name`. @defaultValue the model */
  readonly smallModel?: string | undefined;
  /** Unit: USD. @defaultValue none */
  readonly maxCost?: number | undefined;
  /** Unit: model calls. */
  readonly maxSteps: number;
  /** Unit: tokens. @defaultValue the model's own, or its server's */
  readonly maxOutputTokens?: number | undefined;
  /** @defaultValue the model's own */
  readonly effort?: Effort | undefined;
  /** How long a failed call of the model is tried again. Unit: seconds. */
  readonly retrySeconds: number;
  readonly toolCalls: 'native' | 'text';
  readonly permissions: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
  };
  readonly sandbox: {
    readonly mode: 'auto' | 'off' | 'required';
    readonly network: boolean;
    readonly readable: readonly string[];
    readonly writable: readonly string[];
  };
  readonly context: {
    readonly instructions: readonly string[];
    readonly skillFolders: readonly string[];
    readonly disabledSkills: readonly string[];
  };
  readonly mcp: { readonly servers: Readonly<Record<string, McpServerSettings>> };
  /** Holds templates that are used in the place of ours. @defaultValue ours */
  readonly templateFolder?: string | undefined;
  /** In the format of `@palimpsest/condensers/config`, or only `preset`. @defaultValue the default condenser */
  readonly condenser?: Readonly<Record<string, unknown>> | undefined;
  /** From which the condenser's package and its prompts are found: the folder of the file that names it. */
  readonly condenserFolder?: string | undefined;
  /** Whether the default condenser is used where `condenser` is not there. */
  readonly enableDefaultCondenser: boolean;
}

/** The settings of a run that nobody configured. */
export const defaultSettings: Settings = {
  maxSteps: 500,
  retrySeconds: 120,
  toolCalls: 'native',
  permissions: { allow: [], ask: [], deny: [] },
  sandbox: { mode: 'auto', network: false, readable: [], writable: [] },
  context: { instructions: [], skillFolders: [], disabledSkills: [] },
  mcp: { servers: {} },
  enableDefaultCondenser: true,
};
