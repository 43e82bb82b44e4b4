import { viewPage } from '../view-page.js';
import { openedSession, shownView } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/view`. */
export const viewCommand: CommandWork = {
  async run(_, screen) {
    const opened = openedSession(screen.session);
    await screen.show(viewPage(await shownView(opened), opened.conversation.events));
  },
};
