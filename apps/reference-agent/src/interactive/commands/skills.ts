import { visibleContext } from '@palimpsest/agent/prompts';
import type { Skill } from '@palimpsest/agent/prompts';
import type { Line } from '../../output/lines.js';
import { openedSession } from './opened-session.js';
import type { CommandWork } from './screen-command.js';

const kinds: Readonly<Record<Skill['kind'], string>> = {
  always: 'always shown',
  keyword: 'shown when you say one of its words',
  task: 'shown when you type its name with a slash',
  listed: 'loaded by the model',
};

/** `/skills`. */
export const skillsCommand: CommandWork = {
  async run(_, screen) {
    const { skills, settings, conversation } = openedSession(screen.session);
    if (skills.length === 0) {
      return screen.say('No skills were found. [context] skillFolders in the configuration names folders of them.');
    }
    const { disabledSkills } = settings.settings.context;
    const seen = visibleContext(conversation.view).skills;
    const lines = skills.flatMap(({ name, kind, description, folder, triggers }): readonly Line[] => {
      const state = disabledSkills.includes(name) ? 'disabled' : seen.has(name) ? 'the model sees it' : kinds[kind];
      return [
        { text: `${name}: ${state}`, style: 'strong' },
        ...(description === undefined ? [] : [{ text: description, indent: 2 }]),
        ...(triggers.length === 0 ? [] : [{ text: `words: ${triggers.join(', ')}`, indent: 2, style: 'dim' as const }]),
        ...(folder === undefined ? [] : [{ text: folder, indent: 2, style: 'dim' as const }]),
      ];
    });
    await screen.show({ title: `Skills: ${skills.length}`, lines });
  },
};
