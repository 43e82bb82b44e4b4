import type { InteractiveSession } from '../interactive/interactive-session.js';
import { RunFigures } from '../interactive/run-figures.js';
import type { Figures } from './screen.js';

/** The figures of the status line, as the log grows. They are made anew when it has grown, and not for each frame. */
export function sessionFigures(session: InteractiveSession): () => Figures {
  let run = new RunFigures();
  let figures: Figures | undefined;
  session.observe((event) => {
    if (event.type === 'opened') run = new RunFigures(event.history.map(({ event: past }) => past));
    else if (event.type === 'logged') run.append(event.event);
    else return;
    figures = undefined;
  });
  return () => {
    const { opened } = session;
    if (opened === undefined) return {};
    figures ??= run.figures();
    const window = opened.agent.llm.contextWindow;
    // The provider counts what it was sent; what came since is estimated.
    return { ...figures, model: opened.model, window };
  };
}
