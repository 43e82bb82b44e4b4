import type { ActionEvent, CreateEvent, MessageEvent } from '@palimpsest/events';
import { isMeaningful } from '@palimpsest/events';
import type { Completion } from '@palimpsest/llm-adapters';
import type { AgentOptions } from '../agent-options.js';
import { higherRisk } from '../confirmation.js';
import type { SecurityRisk } from '../confirmation.js';
import type { AskingTools, TakenCall } from '../tools/asked-fields.js';
import { receivedCalls } from './received-calls.js';
import { prepareCall } from '../tools/tool-call.js';
import type { PreparedCall, Toolset } from '../tools/tool-call.js';

/** How the agent understands a response. The first that fits: calls, then words, then neither. */
export type Response =
  | { readonly type: 'tool-calls'; readonly actions: readonly ActionEvent[] }
  | { readonly type: 'message'; readonly message: MessageEvent }
  | { readonly type: 'no-answer'; readonly message: MessageEvent; readonly correction: MessageEvent };

/**
 * The events of one response. The agent names the response, because servers repeat their ids or send none. Thought and
 * thinking stand on the first action, whether it can be run or not. A call that can never be run is marked, and stays in the
 * history.
 */
export function eventsOfResponse(
  completion: Completion,
  options: {
    /** The id of the response in the log. */
    readonly llmResponseId: string;
    readonly tools: Toolset;
    readonly takeFields: AskingTools['take'];
    readonly createEvent: CreateEvent;
    readonly assessRisk: AgentOptions['assessRisk'];
  },
): Response {
  const { llmResponseId, tools, takeFields, createEvent, assessRisk } = options;
  const { content, toolCalls: given, ...thinking } = withoutRole(completion);
  const toolCalls = receivedCalls(given, createEvent);
  if (toolCalls.length > 0) {
    const actions = toolCalls.map((call, index) => {
      const taken = takeFields(call);
      const { toolCall, stated } = taken;
      const prepared = prepareCall(toolCall, tools);
      return createEvent('action', {
        thought: index === 0 ? content.filter(isMeaningful) : [],
        ...(index === 0 ? thinking : {}),
        toolCall,
        llmResponseId,
        ...(prepared.type === 'refused' ? { executable: false } : {}),
        ...riskOf(prepared, taken, assessRisk),
        ...(stated.summary === undefined ? {} : { summary: stated.summary }),
      });
    });
    return { type: 'tool-calls', actions };
  }
  const message = createEvent('message', { source: 'agent', role: 'assistant', content, llmResponseId, ...thinking });
  const hasWords = content.some(isMeaningful);
  const isCutOff = completion.finishReason === 'length';
  if (hasWords && !isCutOff) return { type: 'message', message };
  const correction = createEvent('message', {
    source: 'environment',
    role: 'user',
    content: [{ type: 'text', text: hasWords ? cutOffText : correctionText }],
  });
  return { type: 'no-answer', message, correction };
}

/** The host can only raise what the model says. */
function riskOf(
  prepared: PreparedCall,
  { stated, isAskedForRisk }: TakenCall,
  assessRisk: AgentOptions['assessRisk'],
): { readonly securityRisk?: SecurityRisk } {
  if (assessRisk === undefined && !isAskedForRisk) return {};
  // A call that cannot be run is harmless.
  if (prepared.type === 'refused') return { securityRisk: 'low' };
  if (assessRisk === undefined) return { securityRisk: stated.risk ?? 'unknown' };
  const assessed = assessedRisk(prepared, assessRisk);
  return { securityRisk: stated.risk === undefined ? assessed : higherRisk(assessed, stated.risk) };
}

function assessedRisk(
  { tool, input }: Extract<PreparedCall, { readonly type: 'executable' }>,
  assessRisk: NonNullable<AgentOptions['assessRisk']>,
): SecurityRisk {
  try {
    const risk: unknown = assessRisk({ toolName: tool.name, input });
    return risk === 'low' || risk === 'medium' || risk === 'high' ? risk : 'unknown';
  } catch {
    return 'unknown';
  }
}

const correctionText =
  'Your last response held neither words nor a tool call. Call a tool to go on, or answer in words if the work is done.';

const cutOffText =
  'Your last response was cut off, because it reached the length that it may have. Go on from where it ends, or say it in fewer words.';

function withoutRole({ message }: Completion) {
  const { role: _role, ...rest } = message;
  return rest;
}
