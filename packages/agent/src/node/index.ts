export { fileOutputStore } from './file-output-store.js';
export { copyBuiltInTemplates, folderTemplates } from './folder-templates.js';
export { findSkills } from './skills.js';
export { skillTool } from './skill-tool.js';
export { workspaceContext } from './workspace-context.js';
