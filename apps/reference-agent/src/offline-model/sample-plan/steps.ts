import type { PlanStep, PlannedCall } from '../plan.js';
import type { Recollection, ToolResult } from '../recollection.js';

const reporter = '--test-reporter=./scripts/reporter.js';

/** How the sample project is tested. */
export const testCommand = `node --test ${reporter}`;

/** A call of `read_file`. */
export function read(path: string, startLine?: number, endLine?: number): PlannedCall {
  return {
    tool: 'read_file',
    input: { path, start_line: startLine, end_line: endLine },
  };
}

/** A call of `search`. */
export function search(pattern: string, path?: string): PlannedCall {
  return { tool: 'search', input: { pattern, path } };
}

/** A call of `recall`. */
export function recall(address: string): PlannedCall {
  return { tool: 'recall', input: { address } };
}

/** A call of `run_command`. */
export function run(command: string): PlannedCall {
  return { tool: 'run_command', input: { command } };
}

/** A call of `run_command` that runs the tests, or those of one file. */
export function runTests(file?: string): PlannedCall {
  return run(file === undefined ? testCommand : `${testCommand} ${file}`);
}

/** A call of `run_command` that runs a few lines of JavaScript against the library. */
export function tryOut(code: string): PlannedCall {
  return run(`node --input-type=module -e '${code}'`);
}

/** A call of `edit_file`. */
export function edit(path: string, oldText: string, newText: string): PlannedCall {
  return { tool: 'edit_file', input: { path, old_text: oldText, new_text: newText } };
}

/** A call of `write_file`. */
export function write(path: string, content: string): PlannedCall {
  return { tool: 'write_file', input: { path, content } };
}

/** A step with fixed words and calls. */
export function step(name: string, say: string, ...calls: readonly PlannedCall[]): PlanStep {
  return { name, turn: { say, calls } };
}

/** The last step: a call of `finish`, with what the model remembers in its message. */
export function finish(name: string, say: string, message: (memory: Recollection) => string): PlanStep {
  return {
    name,
    turn: (memory) => ({ say, calls: [{ tool: 'finish', input: { message: message(memory) } }] }),
  };
}

/** True when a command ended with status 0. */
export function succeeded(results: readonly ToolResult[]): boolean {
  return results.length > 0 && results.every(({ text, isError }) => !isError && text.endsWith('[exit status 0]'));
}
