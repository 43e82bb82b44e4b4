export type { RunnerContractOptions, RunnerUnderTest, RunnerUnderTestOptions } from './runner-contract.js';
export { runnerContract } from './runner-contract.js';
