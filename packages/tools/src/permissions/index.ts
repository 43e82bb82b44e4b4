export type { PermissionOptions, PermissionRules, Permissions, ToolUse } from './permissions.js';
export { permissions } from './permissions.js';
export { PermissionRuleError } from './rule.js';
export type { PermissionPolicy } from './policy.js';
export { permissionPolicy } from './policy.js';
export { linkedNames } from './linked-names.js';
export { proposedRule } from './proposed-rule.js';
