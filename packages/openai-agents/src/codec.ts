import { responsesItems } from '@palimpsest/messages';
import type { Codec } from '@palimpsest/messages';
import { readItem } from './agent-item.js';
import type { AgentItem } from './agent-item.js';
import { changedItem } from './changed-item.js';

/**
 * The items of the Agents SDK: what a session holds and a model gets. Calls of hosted tools, searches for tools, compactions and
 * whatever is unknown pass through as they are. Arguments for a shell, a computer or a patch, and screenshots, cannot be
 * masked: they stay, or go with their call.
 */
export function agentItems(): Codec<AgentItem> {
  return {
    name: 'openai-agents',
    mergesAnswers: true,
    read: readItem,
    summary: (text) => ({ type: 'message', role: 'user', content: text }),
    changed: changedItem,
    tool: (definition) => responsesItems().tool(definition),
  };
}
