import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { isUserMessage, messageContent } from '@palimpsest/events';
import type { Event, MessageEvent } from '@palimpsest/events';
import type { UndoStep } from '@palimpsest/tools';
import { UsageError } from '../context.js';
import { formatCount } from '../output/lines.js';
import type { Choice } from '../output/lines.js';
import { eventPhrase } from '../output/phrases.js';
import { exportCommand as printSession, exportFormats } from '../session/export.js';
import type { ExportFormat } from '../session/export.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import { partsBefore, planRewind, rewind, rewindRemarks, stepInWords, unrecordedCalls } from '../session/rewind.js';
import { findSession, listSessions, sessionStatus } from '../session/session.js';
import type { ListedSession } from '../session/session.js';
import { sessionsFolder } from '../settings/user-folders.js';
import { namedChoice, requireOpenSession } from './command.js';
import type { CommandBody, CommandSurface } from './command.js';

/** Runs `/rewind`. */
export const rewindCommand: CommandBody = {
  async run(argument, surface) {
    const { session } = surface;
    const opened = requireOpenSession(session);
    const { conversation, workspace } = opened;
    // Another process may have gone on with the session: that would be undone, too.
    await conversation.events.catchUp();
    const messages = userMessages(conversation.events);
    const choices = messages.map((message) => messageChoice(message, conversation.events)).reverse();
    if (choices.length === 0) return surface.say('There is nothing to go back to: you have said nothing yet.');
    const id =
      argument === '' ? await surface.choose('Back to before which message?', choices) : namedChoice(argument, choices);
    const message = messages.find((each) => each.id === id);
    if (message === undefined) return;
    const parts = partsBefore(conversation, message.id);
    const rewinding = { session: opened.session, conversation, workspace, parts };
    const force = await agreed(await planRewind(rewinding), rewindRemarks(parts), surface);
    if (force === undefined) return surface.say('Nothing was changed.');
    const root = sessionsFolder(session.surroundings.env);
    const { fork } = await rewind(rewinding, { force, root });
    const before = opened.session.id;
    const found = await findSession(root, { id: fork.id, workspace: workspace.root });
    await session.switchTo({ session: found });
    surface.say(`Session ${fork.id} goes on from there; session ${before} stays as it is: /resume ${before}`);
    surface.edit(textOf(message));
  },
  complete: (_, { opened }) => {
    if (opened === undefined) return [];
    const { events } = opened.conversation;
    return userMessages(events)
      .map((message) => messageChoice(message, events))
      .reverse();
  },
};

/** Shows the plan and asks. Resolves to whether conflicts are overruled; undefined where the user gives up. */
async function agreed(
  steps: readonly UndoStep[],
  remarks: readonly string[],
  surface: CommandSurface,
): Promise<boolean | undefined> {
  const conflicts = steps.filter(({ conflict }) => conflict !== undefined);
  const files = steps.filter(({ action }) => action !== 'none');
  surface.say(
    [...(files.length === 0 ? ['No file changes.'] : files.map((step) => stepInWords(step, true))), ...remarks].join(
      '\n',
    ),
  );
  const answer = await surface.choose(
    conflicts.length === 0
      ? 'Go back?'
      : `${formatCount(conflicts.length, 'file')} changed outside of this session since. Restore anyway, and lose these changes?`,
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
function messageChoice(message: MessageEvent, events: Iterable<Event>): Choice {
  const all = [...events];
  const since = all.slice(all.indexOf(message));
  const changed = new Set(
    since.flatMap((event) =>
      event.type === 'action' && changesFile(event.toolCall.name) ? [pathIn(event.toolCall.arguments)] : [],
    ),
  );
  const { commands, ofServers } = unrecordedCalls(since);
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

/** Runs `/resume`. */
export const resumeCommand: CommandBody = {
  async run(argument, surface) {
    const { session } = surface;
    if (argument === 'new') return session.switchTo({ session: 'new' });
    const root = sessionsFolder(session.surroundings.env);
    const workspace = folderOf(session);
    if (argument !== '') return switchTo(await findSession(root, { id: argument, workspace }), session);
    const { sessions } = await listSessions(root, { workspace });
    const others = sessions.filter(({ session: { id } }) => id !== session.opened?.session.id);
    if (others.length === 0) return surface.say('This folder has no other session.');
    const choices = await Promise.all(others.slice(0, mostListed).map(sessionChoice));
    const id = await surface.choose('Which session?', choices);
    const found = others.find((each) => each.session.id === id);
    if (found !== undefined) await switchTo(found, session);
  },
  async complete(_, session) {
    const root = sessionsFolder(session.surroundings.env);
    const { sessions } = await listSessions(root, { workspace: folderOf(session) });
    return Promise.all(sessions.slice(0, mostListed).map(sessionChoice));
  },
};

/** More sessions are not listed. The last used is the first. */
const mostListed = 50;

async function switchTo(found: ListedSession, session: InteractiveSession): Promise<void> {
  if (found.session.id === session.opened?.session.id) throw new UsageError('That session is open already.');
  await session.switchTo({ session: found });
}

function folderOf({ opened, surroundings }: InteractiveSession): string {
  return opened?.workspace.root ?? surroundings.cwd;
}

async function sessionChoice({ session, record, lastStatus, usedAt }: ListedSession): Promise<Choice> {
  const status = await sessionStatus({ session, lastStatus }).catch(() => 'unreadable');
  const when = new Date(usedAt).toISOString().slice(0, 16).replace('T', ' ');
  return { label: `${session.id}  ${record.task || '(no task yet)'}`, detail: `${when}, ${status}`, value: session.id };
}

const endings: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md', messages: 'json' };

/** Runs `/export`. */
export const exportCommand: CommandBody = {
  async run(argument, surface) {
    const { session, workspace, conversation } = requireOpenSession(surface.session);
    if (conversation.events.length === 0) return surface.say('There is nothing to write yet.');
    const [first = '', ...others] = argument.split(/\s+/);
    const isFormat = (exportFormats as readonly string[]).includes(first);
    const format = isFormat ? (first as ExportFormat) : 'markdown';
    const named = (isFormat ? others : [first, ...others]).join(' ');
    const root = sessionsFolder(surface.session.surroundings.env);
    const found = await findSession(root, { id: session.id, workspace: workspace.root });
    const file = resolve(workspace.root, named === '' ? `palimpsest-${session.id}.${endings[format]}` : named);
    let text = '';
    await printSession(found, format, { stdout: { write: (part) => (text += part) } });
    await writeFile(file, text, { flag: 'wx' }).catch((cause: unknown) => {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === 'EEXIST' ? 'there is a file of this name: give another one' : message;
      throw new UsageError(`Cannot write '${file}': ${why}.`, { cause });
    });
    surface.say(`Written: ${relative(workspace.root, file)}`);
  },
  complete: () => exportFormats.map((format) => ({ label: format, value: format })),
};
