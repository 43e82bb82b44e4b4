import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import type { ChatServerOptions } from '../../test-support/chat-server.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import { interact } from '../cli/run.js';

/** A user at a terminal in plain mode, and what is printed there. */
async function plainTerminal(options: ChatServerOptions, files: Readonly<Record<string, string>> = {}) {
  const rig = await interactiveRig(options, files);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const controller = new AbortController();
  let printed = '';
  let [sigint, look] = [(): void => undefined, (): void => undefined];
  const status = interact(
    undefined,
    { outputFormat: 'text', model: 'local', baseUrl: rig.server.baseURL, plain: true },
    {
      env: rig.env,
      cwd: rig.workspace,
      stdin,
      stdout: {
        isTTY: true,
        write: (text: string) => {
          printed += text;
          look();
        },
      },
      stderr: { write: () => undefined },
      interrupts: { signal: controller.signal, exitStatus: 143, onSigint: (listener) => (sigint = listener) },
    },
  );
  onTestFinished(async () => {
    controller.abort();
    await status;
  });
  let from = 0;
  /** Resolves when this was printed, behind what was waited for before; to all between. */
  const until = (text: string): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        const at = printed.indexOf(text, from);
        if (at === -1) return;
        const found = printed.slice(from, at + text.length);
        from = at + text.length;
        look = () => undefined;
        resolve(found);
      };
      look();
    });
  return {
    rig,
    until,
    status,
    type: (line: string) => stdin.write(`${line}\n`),
    leave: () => stdin.end(),
    ctrlC: () => sigint(),
    end: () => controller.abort(),
    all: () => printed,
  };
}

const evil = '\u001b]0;owned\u0007\u202e';

test('a talk: answers as they come, a line each call; approvals are typed; nothing moves the cursor', async () => {
  const terminal = await plainTerminal(
    {
      reply: (_, index) =>
        index === 0
          ? calls(
              `I change it${evil}.`,
              toolCall('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }, 'c1'),
              toolCall('write_file', { path: 'b.txt', content: 'b' }, 'c2'),
              toolCall('run_command', { command: `echo ${evil}; echo hi` }, 'c3'),
            )
          : index === 1
            ? calls(null, toolCall('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' }, 'c4'))
            : says('Done\n\tas asked.'),
    },
    { 'a.txt': 'zero\r\none\r\n' },
  );
  const { until, type } = terminal;
  expect(await until('> ')).toMatch(/session \w{8}: local in /);
  type('Change \\');
  type('it.');
  const first = await until('Answer: ');
  expect(first).toContain('Call 1 of 3 needs your yes: edit_file');
  expect(first).toContain('Change of a.txt: 1 line added, 1 removed\n    1 zero\n  - 2 one\n  + 2 two');
  expect(first).toContain('s: yes, and for this session to calls by the rule edit_file(a.txt)');
  type('what?');
  expect(await until('Answer: ')).toContain("'what?' is no answer: y, n, n REASON, a, s or r.");
  type('s edit_file(');
  expect(await until('Answer: ')).toContain('! The permission rule');
  type('s');
  expect(await until('Answer: ')).toMatch(/Call 1 of 2 needs your yes: write_file[\s\S]*New file b.txt: 1 line added/);
  type('n It is not needed.');
  const third = await until('Answer: ');
  expect(third).toContain('! denied: write_file b.txt: ');
  expect(third).toContain('$ echo \\x1b]0;owned\\x07\\u202e; echo hi');
  type('a');
  const rest = (await until('Change of a.txt: 1 line added, 1 removed.')) + (await until('> '));
  expect(rest).toMatch(/Result: edit_file a\.txt: \d+ lines/);
  expect(rest).toContain(', exit 0');
  expect(rest).toContain('Done\n\tas asked.\n');
  // It was streamed, and is not printed again.
  expect(rest.split('as asked.')).toHaveLength(2);
  expect(await readFile(join(terminal.rig.workspace, 'a.txt'), 'utf8')).toBe('zero\r\nthree\r\n');
  expect(JSON.stringify(terminal.rig.server.requests[0]?.body)).toContain(String.raw`Change \nit.`);
  expect(JSON.stringify(terminal.rig.server.requests[1]?.body)).toContain('It is not needed.');
  type('/help');
  expect(await until('/quit')).toMatch(/\/withdraw {2,}take back/);
  await until('\n> ');
  type('/nothing');
  expect(await until('> ')).toContain('There is no command /nothing.');
  type('/quit');
  expect(await terminal.status).toBe(0);
  expect(terminal.all()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

test('Ctrl-C interrupts, twice at the prompt it leaves; what is queued is taken back; Ctrl-D and SIGTERM end it', async () => {
  const options: ChatServerOptions = {
    reply: () => says('A long answer.'),
    faults: (_, index) => (index === 0 ? { fault: 'stall', afterEvents: 3 } : undefined),
  };
  const terminal = await plainTerminal(options);
  const { until, type, ctrlC } = terminal;
  await until('> ');
  type('Go.');
  await until('A long');
  type('Wait!');
  expect(await until('takes it back.')).toContain('Queued: it is sent at the next step.');
  type('/withdraw');
  expect(await until('Wait!')).toContain('To be typed anew');
  ctrlC();
  expect(await until('> ')).toMatch(/Interrupted\.\n[\s\S]*the answer was interrupted here/);
  ctrlC();
  expect(await until('> ')).toContain('Ctrl-C again leaves.');
  type('Go on.');
  expect(await until('> ')).toContain('A long answer.');
  ctrlC();
  ctrlC();
  expect(await terminal.status).toBe(0);

  const other = await plainTerminal(options);
  await other.until('> ');
  other.type('Go.');
  await other.until('A long');
  other.leave();
  expect(await other.status).toBe(0);
  const ended = await plainTerminal(options);
  await ended.until('> ');
  ended.end();
  expect(await ended.status).toBe(143);
});

test('what is typed while a command is under way answers its question, and is no message', async () => {
  const terminal = await plainTerminal({ reply: () => says('Done.') });
  const { type, until } = terminal;
  await until('> ');
  type('First words.');
  await until('Done.');
  await until('> ');
  type('/rewind');
  type('1');
  type('1');
  type('Other words.');
  const rewound = await until('To be typed anew');
  expect(rewound).toContain('Back to before which message?');
  expect(rewound).not.toContain('\n> ');
  await until('Done.');
  const sent = JSON.stringify(terminal.rig.server.requests.map(({ body }) => body));
  expect(terminal.rig.server.requests).toHaveLength(2);
  expect(sent).toContain('Other words.');
  expect(sent).not.toContain('"content":"1"');
});

test('/compact that comes to nothing is one line with the reason, with and without a focus', async () => {
  const terminal = await plainTerminal({
    reply: (body) =>
      JSON.stringify(body).includes('You keep the memory of an agent')
        ? { error: { status: 401, type: 'invalid_request_error', message: 'the key is gone' } }
        : says(`${'It took a while. '.repeat(50)}Done.`),
  });
  const { type, until } = terminal;
  await until('> ');
  type('First words.');
  await until('Done.');
  await until('> ');
  const linesOf = async (command: string) => {
    type(command);
    return (await until('\n> ')).split('\n').filter((line) => line !== '' && line !== '> ');
  };
  expect(await linesOf('/compact')).toEqual([
    expect.stringMatching(/^! Nothing was condensed: of 4 events none before the newest step may be forgotten/),
  ]);
  expect(await linesOf('/compact the ports')).toEqual([
    '! Nothing was condensed: the model gave no summary: openai (401): the key is gone',
  ]);
});
