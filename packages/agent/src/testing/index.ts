export { runnerContract } from './runner-contract.js';
