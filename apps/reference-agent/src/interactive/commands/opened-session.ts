import { isCondensation } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { OpenedSession } from '../../open-session.js';
import { UsageError } from '../../usage-error.js';
import type { InteractiveSession } from '../interactive-session.js';

/** The open session. @throws {@link UsageError} when none is open. */
export function openedSession({ opened, state }: InteractiveSession): OpenedSession {
  if (opened !== undefined) return opened;
  const why = state.type === 'opening' ? 'It is being opened.' : state.type === 'unusable' ? state.problem : '';
  throw new UsageError(`No session is open. ${why}`.trim());
}

/** The view as the model reads it now: with what the condenser hides in the view alone. Calls no model. */
export async function shownView({ conversation, agent }: OpenedSession): Promise<View> {
  const { view } = conversation;
  const { condenser } = agent;
  if (condenser === undefined) return view;
  const result = await condenser.condense(view, { preview: true, contextWindow: agent.llm.contextWindow });
  return isCondensation(result) ? view : result;
}
