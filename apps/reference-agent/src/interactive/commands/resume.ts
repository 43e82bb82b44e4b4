import { UsageError } from '../../usage-error.js';
import { findSession, listSessions } from '../../sessions/session-list.js';
import type { ListedSession } from '../../sessions/session-list.js';
import { sessionStatus } from '../../sessions/session-status.js';
import { sessionsFolder } from '../../sessions/sessions-folder.js';
import type { Choice } from '../../output/lines.js';
import type { InteractiveSession } from '../interactive-session.js';
import type { CommandWork } from './screen-command.js';

/** `/resume`. */
export const resumeCommand: CommandWork = {
  async run(argument, screen) {
    const { session } = screen;
    if (argument === 'new') return session.switchTo({ session: 'new' });
    const root = sessionsFolder(session.surroundings.env);
    const workspace = folderOf(session);
    if (argument !== '') return switchTo(await findSession(root, { id: argument, workspace }), session);
    const { sessions } = await listSessions(root, { workspace });
    const others = sessions.filter(({ session: { id } }) => id !== session.opened?.session.id);
    if (others.length === 0) return screen.say('This folder has no other session.');
    const choices = await Promise.all(others.slice(0, mostListed).map(choiceOf));
    const id = await screen.choose('Which session?', choices);
    const found = others.find((each) => each.session.id === id);
    if (found !== undefined) await switchTo(found, session);
  },
  async complete(_, session) {
    const root = sessionsFolder(session.surroundings.env);
    const { sessions } = await listSessions(root, { workspace: folderOf(session) });
    return Promise.all(sessions.slice(0, mostListed).map(choiceOf));
  },
};

/** How many are listed, the last used first. */
const mostListed = 50;

async function switchTo(found: ListedSession, session: InteractiveSession): Promise<void> {
  if (found.session.id === session.opened?.session.id) throw new UsageError('That session is open already.');
  await session.switchTo({ session: found });
}

function folderOf({ opened, surroundings }: InteractiveSession): string {
  return opened?.workspace.root ?? surroundings.cwd;
}

async function choiceOf({ session, record, usedAt }: ListedSession): Promise<Choice> {
  const status = await sessionStatus(session).catch(() => 'unreadable');
  const when = new Date(usedAt).toISOString().slice(0, 16).replace('T', ' ');
  return { label: `${session.id}  ${record.task || '(no task yet)'}`, detail: `${when}, ${status}`, value: session.id };
}
