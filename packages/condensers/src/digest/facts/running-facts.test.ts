import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { describe, expect, test } from 'vitest';
import { readFacts } from './event-facts.js';
import { Manifest } from './manifest.js';

/** What is running after a log. */
function runningAfter(log: LogBuilder): readonly string[] {
  const manifest = new Manifest();
  const view = View.fromEvents(log.events);
  readFacts(view.events, view, manifest);
  return manifest.running.map(({ id }) => id);
}

type Step = readonly [name: string, input: Readonly<Record<string, unknown>>, result: string];

function logOf(...steps: readonly Step[]): LogBuilder {
  const log = logBuilder();
  log.user('Start the server.');
  for (const [name, input, result] of steps) log.call(name, input, result);
  return log;
}

// Each row has the shape of what a runtime writes. The words around it are our own.
const codex: Step = [
  'exec_command',
  { cmd: 'npm run dev', workdir: '/home/ada/site' },
  'Chunk ID: 1f2e3d\nWall time: 1.0005 seconds\nProcess running with session ID 40112\nOriginal token count: 0\nOutput:\n',
];
const claudeShell: Step = [
  'Bash',
  { command: 'npm run dev', run_in_background: true },
  'Command running in background with ID: bk31xq. Output is being written to: /tmp/ada/tasks/bk31xq.output. You will be told when it ends.',
];
const claudeAgent: Step = [
  'Agent',
  { description: 'Look for dead code', prompt: 'Look for code that nobody calls.', run_in_background: true },
  'Async agent launched successfully.\nagentId: a90c1d2e3f4 (internal ID. Use SendMessage with it to go on.)\nThe agent is working in the background.',
];
const copilotShell: Step = [
  'bash',
  { command: 'npm run dev', mode: 'async', shellId: 'site' },
  '<command started in background with shellId: site>',
];
const copilotSlow: Step = [
  'bash',
  { command: 'npm test', initial_wait: 30 },
  `${'✓ adds\n'.repeat(200)}<command with shellId: 3 is still running after 30 seconds. The command is still running. Use read_bash to wait for more, or stop_bash to stop it.>`,
];
const terminal: Step = [
  'run_in_terminal',
  { command: 'npm run dev', isBackground: true },
  'Command is running in terminal with ID=5b1d0f3a-77aa-4c21-9d5e-0c1f2a3b4c5d\nThe site is ready.',
];

describe('an id that a result announces as running', () => {
  test.each<readonly [string, Step, string]>([
    ['a session of a shell', codex, '40112'],
    ['a command in the background', claudeShell, 'bk31xq'],
    ['an agent in the background', claudeAgent, 'a90c1d2e3f4'],
    ['a named shell', copilotShell, 'site'],
    ['a command that is not done when its time is up', copilotSlow, '3'],
    ['a terminal', terminal, '5b1d0f3a-77aa-4c21-9d5e-0c1f2a3b4c5d'],
  ])('is known: %s', (_, step, id) => {
    expect(runningAfter(logOf(step))).toEqual([id]);
  });

  test.each<readonly [string, Step, Step]>([
    [
      'a session whose process exited',
      codex,
      ['write_stdin', { session_id: 40112, chars: '' }, 'Chunk ID: 9a\nProcess exited with code 0\nOutput:\nbye'],
    ],
    [
      'a session that the runtime no longer knows',
      codex,
      ['write_stdin', { session_id: 40112, chars: '' }, 'write_stdin failed: Unknown process id 40112'],
    ],
    [
      'a command that was completed',
      claudeShell,
      ['BashOutput', { bash_id: 'bk31xq' }, '<status>completed</status>\n\n<exit_code>0</exit_code>'],
    ],
    [
      'a shell that was killed',
      claudeShell,
      ['KillShell', { shell_id: 'bk31xq' }, 'Successfully killed shell: bk31xq'],
    ],
    [
      'an agent that has answered',
      claudeAgent,
      [
        'TaskOutput',
        { task_id: 'a90c1d2e3f4', block: true },
        '<retrieval_status>success</retrieval_status>\n<task_id>a90c1d2e3f4</task_id>\n<status>completed</status>\n<output>None.</output>',
      ],
    ],
    [
      'a shell that is done',
      copilotShell,
      ['read_bash', { shellId: 'site', delay: 5 }, 'bye\n<command with shellId: site completed with exit code 1>'],
    ],
    ['a shell that was stopped', copilotSlow, ['stop_bash', { shellId: '3' }, '<command with id: 3 stopped>']],
    [
      'a terminal that was closed',
      terminal,
      ['kill_terminal', { id: '5b1d0f3a-77aa-4c21-9d5e-0c1f2a3b4c5d' }, 'The terminal was closed.'],
    ],
  ])('is ended by a later result: %s', (_, start, end) => {
    expect(runningAfter(logOf(start, end))).toEqual([]);
  });

  test.each<readonly [string, Step, Step]>([
    [
      'more output',
      codex,
      ['write_stdin', { session_id: 40112, chars: '' }, 'Process running with session ID 40112\nOutput:\nready'],
    ],
    [
      'a status',
      claudeShell,
      ['BashOutput', { bash_id: 'bk31xq' }, '<status>running</status>\n<stdout>\nready\n</stdout>'],
    ],
    ['words of the program', terminal, ['get_terminal_output', { id: terminal[2].slice(35, 71) }, 'build completed']],
    [
      'the end of another one',
      codex,
      ['write_stdin', { session_id: 7, chars: '' }, 'Process exited with code 0\nOutput:'],
    ],
    ['another command', codex, ['exec_command', { cmd: 'ls' }, 'Process exited with code 0\nOutput:\nsrc']],
  ])('is not ended by %s', (_, start, next) => {
    expect(runningAfter(logOf(start, next))).toHaveLength(1);
  });

  test('is ended by a notice of the runtime', () => {
    const log = logOf(claudeShell);
    log.user('<task-notification>\n<task-id>bk31xq</task-id>\n<status>killed</status>\n</task-notification>');
    expect(runningAfter(log)).toEqual([]);
    const other = logOf(claudeShell, copilotShell);
    other.environment('<task-notification><task-id>bk31xq</task-id><status>completed</status></task-notification>');
    expect(runningAfter(other)).toEqual(['site']);
  });

  test('is not one of a file that is read', () => {
    expect(runningAfter(logOf(['read_file', { path: 'docs/shells.md' }, claudeShell[2]]))).toEqual([]);
  });
});
