export { codecContract } from './codec-contract.js';
