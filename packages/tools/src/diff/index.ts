export type { FileDiff } from './file-diff.js';
export { appliedDiff, fileDiff } from './file-diff.js';
