export type { FileOutputStoreOptions } from './file-output-store.js';
export { fileOutputStore } from './file-output-store.js';
export { copyBuiltInTemplates, folderTemplates } from './folder-templates.js';
export type { FindSkillsOptions, FoundSkills } from './skills.js';
export { findSkills } from './skills.js';
export { skillTool } from './skill-tool.js';
export type { WorkspaceContextOptions } from './workspace-context.js';
export { workspaceContext } from './workspace-context.js';
