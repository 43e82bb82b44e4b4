export { textToolCalls } from './text-tool-calls.js';
