import { nextRequest } from '../commands/look.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import { SessionFigures } from '../output/figures.js';
import { requestTokens } from '../output/request-size.js';
import type { Figures } from './screen.js';

/**
 * Returns the figures of the status line, as the log grows. They are made anew when it has grown, and not for each
 * frame. What the next request holds is found as `/context` finds it, which takes a moment.
 *
 * @param changed - called when they are other ones
 */
export function statusFigures(session: InteractiveSession, changed: () => void): () => Figures {
  let run = new SessionFigures();
  let figures: Figures | undefined;
  let tokens: number | undefined;
  let isDue = true;
  let isCounting = false;
  session.observe((event) => {
    if (event.type === 'opened') {
      run = new SessionFigures(event.history.map(({ event: past }) => past));
      tokens = undefined;
    } else if (event.type === 'logged') run.append(event.event);
    else return;
    figures = undefined;
    isDue = true;
  });
  const count = async (): Promise<void> => {
    const { opened } = session;
    if (opened === undefined) return;
    isCounting = true;
    isDue = false;
    // A condenser that cannot say what it would hide: the view as it is.
    const counted = await nextRequest(opened).then(
      ({ use }) => use.sentTokens,
      () => requestTokens(opened.conversation.view),
    );
    isCounting = false;
    if (session.opened !== opened) return;
    tokens = counted;
    changed();
  };
  return () => {
    const { opened } = session;
    if (opened === undefined) return {};
    if (isDue && !isCounting) void count();
    figures ??= figuresOf(run);
    return { ...figures, tokens, model: opened.model, window: opened.agent.llm.contextWindow };
  };
}

function figuresOf({ costUsd, cachedShare, saved }: SessionFigures): Figures {
  return { costUsd, cachedShare, savedTokens: saved.tokens, savedUsd: saved.usd };
}
