import { viewPage } from '../../output/view-lines.js';
import { openedSession, shownView, thinkingRead } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/view`. */
export const viewCommand: CommandWork = {
  async run(_, screen) {
    const opened = openedSession(screen.session);
    const view = await shownView(opened);
    await screen.show(viewPage(view, opened.conversation.events, thinkingRead(view, opened)));
  },
};
