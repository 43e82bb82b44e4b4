import type { PageLine } from '../command-screen.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

const lists = [
  ['permissions.deny', 'Never runs'],
  ['permissions.ask', 'Is asked about'],
  ['permissions.allow', 'Runs without a question'],
] as const;

/** `/permissions`. */
export const permissionsCommand: CommandWork = {
  async run(_, screen) {
    const { settings } = openedSession(screen.session);
    const isYolo = screen.session.flags.yolo === true;
    const lines = lists.flatMap(([name, title]): readonly PageLine[] => {
      const rules = settings.origins.filter((each) => each.name === name);
      return [
        { text: title, style: 'strong' },
        ...(rules.length === 0 ? [{ text: 'no rule', indent: 2, style: 'dim' as const }] : []),
        ...rules.map(({ value, origin, file }) => ({ text: `${String(value)}  (${file ?? origin})`, indent: 2 })),
        { text: '' },
      ];
    });
    const rest = isYolo
      ? '--yolo: whatever no rule denies runs without a question.'
      : 'Without a rule, what only reads runs, and what writes or runs is asked about.';
    await screen.show({ title: 'Permissions', lines: [...lines, { text: rest }] });
  },
};
