export type { PromptManager, PromptOptions, WorkspaceContext } from './prompts.js';
export { builtInTemplates, builtInTemplateTexts, loadPrompts } from './prompts.js';
export type { TemplateSource, TemplateValue } from '@palimpsest/templates';
export { layeredTemplates, PromptTemplateError, templatesFrom } from '@palimpsest/templates';
export type { Skill, SkillInput } from './skill.js';
export { InvalidSkillError, parseAgentSkill, parseSkill } from './skill.js';
export {
  daySender,
  loadedSkillsSender,
  matchSkills,
  skillListLines,
  skillListSender,
  visibleContext,
  workspaceSender,
} from './skills-in-view.js';
export type { TriggeredSkill, VisibleContext } from './skills-in-view.js';
export type { ContextOptions } from './context-messages.js';
export { contextMessages } from './context-messages.js';
export { ensureInitialUserMessage, ensureSystemPrompt } from './opening.js';
