import { Agent, finishTool, instrumentedLLM, readOutputTool } from '@palimpsest/agent';
import type { ConversationOptions, Instrumentation } from '@palimpsest/agent';
import { fileOutputStore } from '@palimpsest/agent/node';
import { contextMessages, loadPrompts } from '@palimpsest/agent/prompts';
import type { Skill } from '@palimpsest/agent/prompts';
import type { LLM } from '@palimpsest/llm-adapters';
import { observationLabel, recallTool, relevanceTool } from '@palimpsest/relevance-tool';
import { fileHistory, todoTool, workspaceTools } from '@palimpsest/tools';
import type { Workspace } from '@palimpsest/tools';
import type { Condenser } from '@palimpsest/view';
import { guardedFolders } from '../settings/user-folders.js';
import type { Settings } from '../settings/settings.js';
import { settingsCondenser } from './condenser.js';
import { promptTemplates, systemPromptFile, workspaceKnowledge } from './knowledge.js';
import { mcpNotes, mcpSecrets, openMcp } from './mcp.js';
import type { AgentMcp, McpListener } from './mcp.js';
import { runPermissions } from './permissions.js';
import type { RunPermissions } from './permissions.js';
import { openShell } from './shell.js';

/** The folders of a session. */
export interface SessionFolders {
  /** All of it. Absolute. */
  readonly folder: string;
  /** Whole texts of long outputs. */
  readonly outputs: string;
  /** The edit history. */
  readonly files: string;
}

/** Options of {@link codingAgent}. */
export interface CodingAgentOptions {
  /** The folder to work in. */
  readonly workspace: Workspace;
  readonly settings: Settings;
  /** Does the work. */
  readonly llm: LLM;
  /** Writes summaries, if the condenser asks a model. @defaultValue `llm` */
  readonly smallLlm?: LLM;
  /** Keeps whole outputs and the edit history. */
  readonly session: SessionFolders;
  /** Condenses the history. @defaultValue the condenser of the settings */
  readonly condenser?: Condenser | undefined;
  /** Called with each model that the condenser asks: what it returns is asked in its place. @defaultValue the model itself */
  readonly condenserModel?: ((llm: LLM) => LLM) | undefined;
  /** The environment that holds the secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The fate of a call that needs a yes. @defaultValue 'deny', and the model is told */
  readonly onAsk?: 'deny' | 'wait' | undefined;
  /** No call needs a yes. @defaultValue false */
  readonly yolo?: boolean | undefined;
  /** True if the model can ask the user a question. @defaultValue false */
  readonly isInteractive?: boolean | undefined;
  /** Rules that answers of earlier sessions have made. @defaultValue none */
  readonly keptRules?: readonly string[];
  /** Rules that answers make, read at each call: the same list until one is added. @defaultValue none */
  readonly answers?: (() => readonly string[]) | undefined;
  /** Is told of the MCP servers. @defaultValue nobody is told */
  readonly mcpListener?: McpListener | undefined;
  /** Ends the start, which waits for MCP servers. */
  readonly signal?: AbortSignal | undefined;
}

/** A coding agent, and all that a conversation needs to work on a workspace. */
export interface CodingAgent {
  /** For `Conversation.open`, together with a store and an id. */
  readonly conversation: Required<Pick<ConversationOptions, 'agent' | 'limits' | 'secrets'>>;
  /** The skills that were found, the disabled ones too. */
  readonly skills: readonly Skill[];
  /** Decides which calls need a yes. */
  readonly permitted: Pick<RunPermissions, 'reason' | 'propose' | 'check'>;
  /** The MCP servers. Undefined if there are none in the settings. */
  readonly mcp: AgentMcp | undefined;
  /** Remarks for the user before the run begins. */
  readonly notes: readonly string[];
  /** Ends what the tools have started. */
  close(): Promise<void>;
}

/**
 * Makes the coding agent: here the layers meet.
 *
 * @throws {@link SandboxUnavailableError} when the settings require a sandbox and none works here; the errors of `settingsCondenser`,
 *   `promptTemplates` and `loadPrompts`.
 */
export async function codingAgent(options: CodingAgentOptions): Promise<CodingAgent> {
  const { workspace, settings, llm, session, env, onAsk = 'deny', yolo = false } = options;
  const instrumentation = await telemetry();
  const watched = (model: LLM): LLM => {
    const called = options.condenserModel?.(model) ?? model;
    return instrumentation === undefined ? called : instrumentedLLM(called, instrumentation);
  };
  const { condenser, notes } =
    options.condenser === undefined
      ? await settingsCondenser(settings, { llm: options.smallLlm ?? llm, env, watched })
      : { condenser: options.condenser, notes: [] };
  const templates = await promptTemplates(settings.templateFolder);
  const outputs = fileOutputStore({ directory: session.outputs });
  const knowledge = await workspaceKnowledge(workspace, settings.context, env);
  const shell = await openShell(options, knowledge.folders, mcpSecrets(settings.mcp, env));
  // Each change of a file is recorded before it is made, so that it can be undone.
  const history = fileHistory({ directory: session.files });
  const tools = [
    ...workspaceTools(workspace, {
      command: shell.settings,
      history,
      search: { isClosed: (path) => permitted.isClosed(path) },
    }),
    todoTool(),
    ...knowledge.tools,
    finishTool(),
    // What is hidden can be had again: by the model's own marks, by a condensation, or because it was too long.
    relevanceTool({ recall: true, apply: 'batched' }),
    recallTool({ condenser }),
    readOutputTool(outputs),
  ];
  const permitted: RunPermissions = runPermissions({
    rules: settings.permissions,
    tools,
    workspace,
    folders: guardedFolders(env),
    onAsk,
    yolo,
    keptRules: options.keptRules,
    answers: options.answers,
  });
  const closeShell = async (error: unknown): Promise<never> => {
    await shell.close();
    throw error;
  };
  const prompts = await loadPrompts({
    templates,
    systemPrompt: systemPromptFile,
    toolNames: tools.map(({ name }) => name),
    shell: '/bin/sh',
    cliMode: true,
    // Somebody sits there.
    headless: options.isInteractive !== true,
  }).catch(closeShell);
  const { secrets } = shell;
  const { root: cwd } = workspace;
  const { signal } = options;
  // Last, because it starts programs. Their tools stand behind ours, in an order that does not change.
  const mcp = await openMcp(settings.mcp, { cwd, env, secrets, signal, ...options.mcpListener }).catch(closeShell);
  const agent = new Agent({
    llm,
    systemPrompt: prompts.systemPrompt(),
    context: (view) => contextMessages(view, { prompts, ...knowledge.context }),
    condenser,
    tools: [...tools, ...(mcp?.tools ?? [])],
    render: { labelObservation: observationLabel },
    output: { store: outputs },
    maxOutputTokens: settings.maxOutputTokens,
    ...permitted.agent,
    instrumentation,
  });
  return {
    conversation: {
      agent,
      limits: { maxIterations: settings.maxSteps, maxCostUsd: settings.maxCost },
      secrets,
    },
    skills: knowledge.context.skills ?? [],
    permitted,
    mcp,
    notes: [...notes, ...permitted.notes, ...shell.notes, ...knowledge.notes, ...mcpNotes(settings, mcp)],
    close: async () => {
      await Promise.all([mcp?.close(), shell.close()]);
    },
  };
}

/** Under which the API of OpenTelemetry keeps what an SDK has registered, whatever copy of the API it was. */
const registered = Symbol.for('opentelemetry.js.api.1');

/**
 * Makes spans and metrics of the agent's work if an SDK of OpenTelemetry was loaded before the program, by `node --import`. Otherwise
 * nothing is loaded. What is said is not recorded.
 */
async function telemetry(): Promise<Instrumentation | undefined> {
  const api = (globalThis as { readonly [registered]?: { readonly trace?: unknown; readonly metrics?: unknown } })[
    registered
  ];
  if (api?.trace === undefined && api?.metrics === undefined) return undefined;
  const { openTelemetry } = await import('@palimpsest/agent/opentelemetry');
  return openTelemetry({ agentName: 'palimpsest' });
}
