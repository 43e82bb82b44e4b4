import type { Line } from '../../output/lines.js';
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
    const { sessionRules } = screen.session;
    const lines = lists.flatMap(([name, title]): readonly Line[] => {
      const rules = settings.origins.filter((each) => each.name === name);
      // A rule that is kept now stands in both lists until the session is opened anew.
      const answered = name === 'permissions.allow' ? sessionRules : [];
      const isKnown = (rule: string) => rules.some(({ value }) => value === rule);
      return [
        { text: title, style: 'strong' },
        ...(rules.length + answered.length === 0 ? [{ text: 'no rule', indent: 2, style: 'dim' as const }] : []),
        ...rules.map(({ value, origin, file }) => ({ text: `${String(value)}  (${file ?? origin})`, indent: 2 })),
        ...answered.filter((rule) => !isKnown(rule)).map((rule) => ({ text: `${rule}  (your answer)`, indent: 2 })),
        { text: '' },
      ];
    });
    const rest = isYolo
      ? '--yolo: whatever no rule denies runs without a question.'
      : 'Without a rule, what only reads runs, and what writes or runs is asked about.';
    await screen.show({ title: 'Permissions', lines: [...lines, { text: rest }] });
  },
};
