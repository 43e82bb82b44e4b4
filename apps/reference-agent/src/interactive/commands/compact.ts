import { structuredSummaryCondenser } from '@palimpsest/condensers';
import type { Condensation } from '@palimpsest/events';
import type { OpenedSession } from '../../open-session.js';
import { UsageError } from '../../usage-error.js';
import { condensationPhrase } from '../../output/condensation-lines.js';
import { condensationHistory } from './log-readers.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/compact`. */
export const compactCommand: CommandWork = {
  async run(focus, screen) {
    const { session } = screen;
    const opened = openedSession(session);
    const { conversation } = opened;
    if (conversation.events.length === 0) return screen.say('There is nothing to condense yet.');
    const options = requestOf(opened, focus);
    if (session.state.type === 'working' || session.state.type === 'waiting') {
      await conversation.condense(options).catch(rethrow);
      return screen.say("It is asked for: the agent's next step begins with it.");
    }
    const done = await session.work(async (worked, signal): Promise<Done> => {
      // Told below, as what the command has to say, and not as a problem of the session.
      const told = (error: unknown): Done => ({ failure: signal.aborted ? undefined : error });
      return worked.condense({ ...options, signal }).then((made) => ({ made }), told);
    });
    if (done?.failure !== undefined) rethrow(done.failure);
    if (done === undefined || !('made' in done)) return screen.say('It was interrupted: nothing was condensed.');
    const { made } = done;
    // That nothing was condensed, and why, stands in the transcript already: the log has told it.
    const details = made === undefined ? undefined : condensationHistory(conversation).details(made.id);
    if (details !== undefined) screen.say(`${condensationPhrase(details)}\n/condensations last shows all of it.`);
  },
};

/** What became of it. Without either it was interrupted. */
interface Done {
  readonly made?: Condensation | undefined;
  readonly failure?: unknown;
}

/** With a focus, a condenser that follows it: the agent's may ask no model. */
function requestOf({ smallLlm, agent }: OpenedSession, focus: string) {
  const { createEvent } = agent;
  return focus === ''
    ? {}
    : { focus, condenser: structuredSummaryCondenser({ llm: smallLlm, keepFirst: 1, createEvent }) };
}

/** A focus that is too long is the user's to change. */
function rethrow(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message, { cause: error }) : error;
}
