export type { CodecContractOptions } from './codec-contract.js';
export { codecContract } from './codec-contract.js';
