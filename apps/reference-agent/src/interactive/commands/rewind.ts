import { isUserMessage, messageContent } from '@palimpsest/events';
import type { Event, MessageEvent } from '@palimpsest/events';
import type { UndoStep } from '@palimpsest/tools';
import { partsBefore, planRewind, rewind, rewindRemarks, stepInWords } from '../../sessions/rewind.js';
import { findSession } from '../../sessions/session-list.js';
import { sessionsFolder } from '../../sessions/sessions-folder.js';
import type { Choice } from '../../output/lines.js';
import type { CommandScreen } from '../command-screen.js';
import { eventPhrase } from '../../output/phrases.js';
import { formatCount } from '../../output/lines.js';
import { named } from './condensations.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

/** `/rewind`. */
export const rewindCommand: CommandWork = {
  async run(argument, screen) {
    const { session } = screen;
    const opened = openedSession(session);
    const { conversation, workspace } = opened;
    // Another process may have gone on with the session: that would be undone, too.
    await conversation.events.catchUp();
    const messages = userMessages(conversation.events);
    const choices = messages.map((message) => choiceOf(message, conversation.events)).reverse();
    if (choices.length === 0) return screen.say('There is nothing to go back to: you have said nothing yet.');
    const id =
      argument === '' ? await screen.choose('Back to before which message?', choices) : named(argument, choices);
    const message = messages.find((each) => each.id === id);
    if (message === undefined) return;
    const parts = partsBefore(conversation, message.id);
    const rewinding = { session: opened.session, conversation, workspace, parts };
    const force = await agreed(await planRewind(rewinding), rewindRemarks(parts), screen);
    if (force === undefined) return screen.say('Nothing was changed.');
    const root = sessionsFolder(session.surroundings.env);
    const { fork } = await rewind(rewinding, { force, root });
    const before = opened.session.id;
    const found = await findSession(root, { id: fork.id, workspace: workspace.root });
    await session.switchTo({ session: found });
    screen.say(`Session ${fork.id} goes on from there; session ${before} stays as it is: /resume ${before}`);
    screen.edit(textOf(message));
  },
  complete: (_, { opened }) => {
    if (opened === undefined) return [];
    const { events } = opened.conversation;
    return userMessages(events)
      .map((message) => choiceOf(message, events))
      .reverse();
  },
};

/** Shows the plan and asks. Resolves to whether conflicts are overruled; undefined where the user gives up. */
async function agreed(
  steps: readonly UndoStep[],
  remarks: readonly string[],
  screen: CommandScreen,
): Promise<boolean | undefined> {
  const conflicts = steps.filter(({ conflict }) => conflict !== undefined);
  const files = steps.filter(({ action }) => action !== 'none');
  screen.say(
    [...(files.length === 0 ? ['No file changes.'] : files.map((step) => stepInWords(step, true))), ...remarks].join(
      '\n',
    ),
  );
  const answer = await screen.choose(
    conflicts.length === 0
      ? 'Go back?'
      : `${formatCount(conflicts.length, 'file')} changed by another hand since. Go back all the same, and lose that?`,
    conflicts.length === 0
      ? [
          { label: 'yes', value: 'yes' },
          { label: 'no', value: 'no' },
        ]
      : [
          { label: 'no', value: 'no' },
          { label: 'yes, and overwrite them', value: 'force' },
        ],
  );
  return answer === 'yes' ? false : answer === 'force' ? true : undefined;
}

function userMessages(events: Iterable<Event>): readonly MessageEvent[] {
  return [...events].filter(isUserMessage);
}

/** A message, and how many files the agent has changed since. */
function choiceOf(message: MessageEvent, events: Iterable<Event>): Choice {
  const all = [...events];
  const since = all.slice(all.indexOf(message));
  const changed = new Set(
    since.flatMap((event) =>
      event.type === 'action' && changesFile(event.toolCall.name) ? [pathIn(event.toolCall.arguments)] : [],
    ),
  );
  const calls = since.flatMap((event) => (event.type === 'action' ? [event.toolCall.name] : []));
  const commands = calls.filter((name) => name === 'run_command').length;
  const ofServers = calls.filter((name) => name.startsWith('mcp__')).length;
  const detail = [
    `${formatCount(changed.size, 'file')} written since`,
    ...(commands === 0 ? [] : [`${formatCount(commands, 'command')} run`]),
    ...(ofServers === 0 ? [] : [`${formatCount(ofServers, 'call')} of MCP servers`]),
  ].join(', ');
  return { label: eventPhrase(message), detail, value: message.id };
}

function changesFile(tool: string): boolean {
  return tool === 'write_file' || tool === 'edit_file';
}

function pathIn(json: string): string {
  try {
    const input = JSON.parse(json) as { readonly path?: unknown } | null;
    return typeof input?.path === 'string' ? input.path : json;
  } catch {
    return json;
  }
}

function textOf(message: MessageEvent): string {
  return messageContent(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}
