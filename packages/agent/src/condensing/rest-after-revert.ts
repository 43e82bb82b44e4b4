import type { ConversationState } from '../conversation-state.js';

/** The limits of a request. Unit: tokens. */
export interface RequestRoom {
  /** Undefined if it is not known. */
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** What is sent beside the view. */
  readonly fixedTokens: number;
}

/** The share of the window that is left free, because sizes are estimates. The condensers keep the same. */
const margin = 0.1;

/**
 * Whether the condenser rests, because the user has taken its last condensation back: it would make the same again. It rests until a
 * condensation is requested, by the user or after an overflow, or until the view fills the window.
 */
export function restsAfterRevert(
  { wasTakenBack, view }: Pick<ConversationState, 'wasTakenBack' | 'view'>,
  { contextWindow, maxOutputTokens = 0, fixedTokens }: RequestRoom,
): boolean {
  if (!wasTakenBack || view.unhandledCondensationRequest) return false;
  return contextWindow === undefined || view.tokens() + fixedTokens + maxOutputTokens <= contextWindow * (1 - margin);
}
