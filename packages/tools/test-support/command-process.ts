import { openWorkspace } from '../src/workspace/workspace.js';
import { runCommand } from '../src/command/run-command.js';
import { openSandbox } from '../src/sandbox/open-sandbox.js';

// A process that runs a command, as an agent does, and then waits; what it is killed by, the tests say.
const [folder = '.', command = 'true', mode = ''] = process.argv.slice(2);
const workspace = await openWorkspace(folder);
const check = mode === 'sandbox' ? await openSandbox(workspace) : undefined;
const sandbox = check?.works === true ? check.sandbox : undefined;
process.once('SIGUSR2', () => {
  throw new Error('A defect of the host.');
});
const result = await runCommand(workspace, command, {
  timeoutMs: 600_000,
  ...(sandbox === undefined ? {} : { sandbox }),
});
console.log(JSON.stringify(result));
