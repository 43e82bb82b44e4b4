import type { ToolContext } from '@palimpsest/events';

/** A tool context for tests that need no conversation. */
export const noContext: ToolContext = {
  actionId: 'action',
  toolCallId: 'call',
  log: [],
  event: () => undefined,
  append: async () => undefined,
};
