import { templatesFrom } from '@palimpsest/templates';
import type { TemplateSource } from '@palimpsest/templates';
import { additionalInfo } from './templates/additional-info.prompt.js';
import { microagentInfo } from './templates/microagent-info.prompt.js';
import { loadedSkills } from './templates/loaded-skills.prompt.js';
import { security } from './templates/security.prompt.js';
import { skillList } from './templates/skill-list.prompt.js';
import { codingSystemPrompt } from './templates/coding-system-prompt.prompt.js';
import { interactiveSystemPrompt, longHorizonSystemPrompt, systemPrompt } from './templates/system-prompt.prompt.js';
import { userPrompt } from './templates/user-prompt.prompt.js';

/** The texts of the package's own templates by file name. Use them as a starting point for custom templates. */
export const builtInTemplateTexts = {
  'system_prompt.j2': systemPrompt,
  'system_prompt_interactive.j2': interactiveSystemPrompt,
  'system_prompt_long_horizon.j2': longHorizonSystemPrompt,
  'system_prompt_coding.j2': codingSystemPrompt,
  'security.j2': security,
  'user_prompt.j2': userPrompt,
  'additional_info.j2': additionalInfo,
  'microagent_info.j2': microagentInfo,
  'skill_list.j2': skillList,
  'loaded_skills.j2': loadedSkills,
} as const satisfies Readonly<Record<string, string>>;

/** The package's own templates. */
export const builtInTemplates: TemplateSource = templatesFrom(builtInTemplateTexts);
