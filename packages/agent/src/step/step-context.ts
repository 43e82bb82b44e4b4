import type { CreateEvent, ToolDefinition } from '@palimpsest/events';
import type { RenderOptions } from '@palimpsest/view';
import type { AgentOptions } from '../agent-options.js';
import type { ConversationState } from '../conversation-state.js';
import type { Hooks } from '../hooks.js';
import type { CacheWatch } from '../model/cache-watch.js';
import type { SentPrompts } from '../model/sent-prompts.js';
import type { AskingTools } from '../tools/asked-fields.js';
import type { Toolset } from '../tools/tool-call.js';
import type { Emit } from '../event-sink.js';
import type { StepLog } from './step-log.js';
import type { StepOptions } from './step-options.js';

/** What the parts of one step share. */
export interface StepContext extends Pick<
  StepOptions,
  'signal' | 'onDelta' | 'secrets' | 'requestedCondenser' | 'onPending'
> {
  /** As the agent was given them. */
  readonly options: AgentOptions;
  readonly tools: Toolset;
  readonly takeFields: AskingTools['take'];
  readonly toolDefinitions: readonly ToolDefinition[];
  readonly hooks: Hooks;
  readonly createEvent: CreateEvent;
  readonly sentPrompts: SentPrompts;
  readonly cacheWatch: CacheWatch;
  readonly render: RenderOptions;
  readonly state: ConversationState;
  readonly log: StepLog;
  readonly emit: Emit;
}
