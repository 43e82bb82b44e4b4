export type { CondenserContractOptions } from './condenser-contract.js';
export { condenserContract } from './condenser-contract.js';
export { viewPropertyContract } from './view-property-contract.js';
export type { NamedLog } from './contract/history.js';
export { addFeatureCounts } from './log-features.js';
export { messageViolations } from './message-violations.js';
export { randomLog } from './random-log.js';
export { messagesOfItems } from './messages-of-items.js';
