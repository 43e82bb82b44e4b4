import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { exportCommand, exportFormats } from '../../session/export.js';
import type { ExportFormat } from '../../session/export.js';
import { findSession } from '../../session/session.js';
import { sessionsFolder } from '../../settings/user-folders.js';
import { UsageError } from '../../context.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

const endings: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', markdown: 'md', messages: 'json' };

/** `/export`. */
export const exportScreenCommand: CommandWork = {
  async run(argument, screen) {
    const { session, workspace, conversation } = openedSession(screen.session);
    if (conversation.events.length === 0) return screen.say('There is nothing to write yet.');
    const [first = '', ...others] = argument.split(/\s+/);
    const isFormat = (exportFormats as readonly string[]).includes(first);
    const format = isFormat ? (first as ExportFormat) : 'markdown';
    const named = (isFormat ? others : [first, ...others]).join(' ');
    const root = sessionsFolder(screen.session.surroundings.env);
    const found = await findSession(root, { id: session.id, workspace: workspace.root });
    const file = resolve(workspace.root, named === '' ? `palimpsest-${session.id}.${endings[format]}` : named);
    let text = '';
    await exportCommand(found, format, { stdout: { write: (part) => (text += part) } });
    await writeFile(file, text, { flag: 'wx' }).catch((cause: unknown) => {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === 'EEXIST' ? 'there is a file of this name: give another one' : message;
      throw new UsageError(`Cannot write '${file}': ${why}.`, { cause });
    });
    screen.say(`Written: ${relative(workspace.root, file)}`);
  },
  complete: () => exportFormats.map((format) => ({ label: format, value: format })),
};
