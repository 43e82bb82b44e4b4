export type { Template, TemplateValue } from './template.js';
export { loadTemplate, parseTemplate } from './template.js';
export type { TemplateSource } from './source.js';
export { layeredTemplates, templatesFrom } from './source.js';
export { PromptTemplateError } from './errors.js';
