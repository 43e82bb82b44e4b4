export type { PermissionDecision, PermissionOptions, PermissionRules, Permissions, JudgedCall } from './permissions.js';
export { permissions } from './permissions.js';
export type { RuleSubject } from './permission-rule.js';
export { PermissionRuleError } from './permission-rule.js';
export type { PermissionPolicy, PermissionPolicyOptions } from './permission-policy.js';
export { permissionPolicy } from './permission-policy.js';
export { linkedNames } from './linked-names.js';
export { proposedRule } from './proposed-rule.js';
