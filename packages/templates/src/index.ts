export type { ParseOptions, Template, TemplateOptions, TemplateValue } from './template.js';
export { loadTemplate, parseTemplate } from './template.js';
export type { TemplateVariable } from './template-variables.js';
export type { TemplateSource } from './template-source.js';
export { layeredTemplates, templatesFrom } from './template-source.js';
export type { TemplateLimits } from './template-limits.js';
export { defaultTemplateLimits } from './template-limits.js';
export { PromptTemplateError } from './template-error.js';
