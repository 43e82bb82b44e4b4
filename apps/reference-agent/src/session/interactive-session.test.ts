import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import type { ChatServerOptions } from '../../test-support/chat-server.js';
import { interactiveRig, transcriptOf } from '../../test-support/interactive-rig.js';
import type { InteractiveRig, TalkedTo } from '../../test-support/interactive-rig.js';
import { isRunning } from '../../test-support/running-processes.js';
import { gate } from '../../test-support/scripted-model.js';
import { answerCommand } from '../cli/answer.js';
import { findSession } from './session.js';
import type { WorkPhase } from './session-events.js';

const never = new Promise<never>(() => undefined);

const onlySession = ({ sessions, workspace }: InteractiveRig) => findSession(sessions, { workspace });

test('a message is answered, and the next one goes on in the same session', async () => {
  const rig = await interactiveRig({ reply: (_, index) => says(`Answer ${index}.`) });
  const talked = await rig.open();
  const { session } = talked;
  expect(session.state.type).toBe('idle');
  expect(talked.told.find(({ type }) => type === 'opened')).toMatchObject({
    init: { isResumed: false, workspace: rig.workspace, model: 'local' },
    history: [],
  });
  await talked.said('First?');
  session.send(' \n');
  await talked.said('Second?');
  expect(transcriptOf(talked)).toEqual(['user: First?', 'model: Answer 0.', 'user: Second?', 'model: Answer 1.']);
  expect(talked.told.some((event) => event.type === 'delta' && event.delta.type === 'text')).toBe(true);
  await session.close();
  expect(session.state).toEqual({ type: 'closed' });
});

test('without a model: told with what to do, the message is kept, and goes to the model that is chosen then', async () => {
  const rig = await interactiveRig({ reply: () => says('Hello.') });
  const talked = await rig.open({ model: undefined, baseUrl: undefined });
  const { session } = talked;
  expect(session.state).toMatchObject({ type: 'unusable', problem: expect.stringContaining('--model') as string });
  session.send('Are you there?');
  expect(talked.notices.at(-1)).toContain('No model is chosen');
  expect(session.queue).toMatchObject([{ text: 'Are you there?' }]);
  await session.switchTo({ session: 'same', flags: { model: 'local', baseUrl: rig.server.baseURL } });
  await talked.rest();
  expect(transcriptOf(talked)).toEqual(['user: Are you there?', 'model: Hello.']);
});

test('a session that could not be opened is opened by the next message, when what was in the way is gone', async () => {
  const rig = await interactiveRig({ reply: () => says('Hello.') });
  const first = await rig.open();
  await first.said('First.');
  await first.session.close();
  const found = await onlySession(rig);
  const log = found?.session.log ?? '';
  const whole = await readFile(log, 'utf8');
  await writeFile(log, whole.replace('\n', '\nno event\n'));
  const talked = await rig.open({}, found);
  expect(talked.session.state).toMatchObject({ type: 'unusable', problem: expect.stringContaining(log) as string });
  // It is tried, and told anew.
  await talked.said('Second.');
  await talked.until(
    ({ type }) => type === 'notice',
    talked.told.findLastIndex(({ type }) => type === 'queue'),
  );
  expect(talked.session.state.type).toBe('unusable');
  await writeFile(log, whole);
  talked.session.send('Third.');
  await talked.state('idle');
  expect(transcriptOf(talked)).toEqual(['user: Second.', 'user: Third.', 'model: Hello.']);
});

test('what is typed while it works is sent at the next step, in order; what is taken back is not sent', async () => {
  const rig = await interactiveRig(
    {
      reply: (_, index) => (index < 2 ? calls(null, toolCall('read_file', { path: 'a.txt' })) : says('Both read.')),
    },
    { 'a.txt': 'hello' },
  );
  const talked = await rig.open();
  const { session } = talked;
  let isTyped = false;
  session.observe((event) => {
    if (isTyped || event.type !== 'logged' || event.event.type !== 'action') return;
    isTyped = true;
    for (const text of ['Second.', 'Not this.', 'Third.']) session.send(text);
    expect(session.withdraw(session.queue[1]?.id)).toBe('Not this.');
    expect(session.withdraw(77)).toBeUndefined();
  });
  await talked.said('First.');
  expect(transcriptOf(talked)).toEqual([
    'user: First.',
    'read_file: ok',
    'user: Second.',
    'user: Third.',
    'read_file: ok',
    'model: Both read.',
  ]);
  // The model read them with its next call, not after the work.
  expect(JSON.stringify(rig.server.requests[1]?.body)).toMatch(/Second\..*Third\./);
  expect(rig.server.requests).toHaveLength(3);
});

/** What keeps an agent at work, and in which phase it is then. */
const phases: readonly (readonly [
  WorkPhase | 'approval',
  ChatServerOptions,
  (talked: TalkedTo, rig: InteractiveRig) => Promise<unknown>,
])[] = [
  [
    'asking',
    {
      reply: () => says('Done.'),
      faults: (_, index) => (index === 0 ? { fault: 'slow-first-byte', until: never } : undefined),
    },
    async (_, rig) => {
      while (rig.server.requests.length === 0) await new Promise(setImmediate);
    },
  ],
  [
    'answering',
    {
      reply: () => says('A long answer.'),
      faults: (_, index) => (index === 0 ? { fault: 'stall', afterEvents: 3 } : undefined),
    },
    (talked) => talked.until(({ type }) => type === 'delta'),
  ],
  [
    'tools',
    {
      reply: (_, index) =>
        index === 0
          ? calls(null, toolCall('run_command', { command: `touch started; sleep 618.${process.pid}` }))
          : says('Done.'),
    },
    (talked) => talked.phase('tools'),
  ],
  [
    'retrying',
    { reply: () => says('Done.'), faults: [{ fault: 'rate-limit', retryAfterSeconds: 50 }] },
    (talked) => talked.until(({ type }) => type === 'retry'),
  ],
  [
    'approval',
    {
      reply: (_, index) =>
        index === 0 ? calls(null, toolCall('write_file', { path: 'x', content: 'x' })) : says('Done.'),
    },
    (talked) => talked.state('waiting'),
  ],
];

test.each(phases)(
  'interrupted at once: %s; the queue waits, and the next message goes on',
  async (phase, options, begun) => {
    const rig = await interactiveRig(options);
    const talked = await rig.open({ yolo: phase === 'tools' });
    const { session } = talked;
    session.send('Go.');
    await begun(talked, rig);
    if (phase === 'answering' || phase === 'retrying') expect(session.state).toMatchObject({ type: 'working', phase });
    session.send('And this.');
    session.interrupt();
    session.interrupt();
    await talked.rest();
    expect(session.state.type).toBe('idle');
    expect(session.queue).toMatchObject([{ text: 'And this.' }]);
    await talked.said('Go on.');
    expect(session.queue).toEqual([]);
    const told = transcriptOf(talked);
    expect(told.filter((line) => line.startsWith('user:'))).toEqual(['user: Go.', 'user: And this.', 'user: Go on.']);
    expect(told.at(-1)).toMatch(/^model: /);
    if (phase === 'approval') expect(told).toContain('write_file: denied');
    if (phase === 'tools') {
      expect(told).toContain('run_command: interrupted');
      // The test hangs if it goes on.
      while (isRunning(`sleep 618.${process.pid}`)) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
);

test('a message that is sent while calls are denied is not left in the queue', async () => {
  const rig = await interactiveRig({
    reply: (_, index) =>
      index === 0 ? calls(null, toolCall('write_file', { path: 'x', content: 'x' })) : says('Something else, then.'),
  });
  const talked = await rig.open();
  const { session } = talked;
  session.send('Go.');
  await talked.state('waiting');
  const from = talked.told.length;
  session.interrupt();
  session.send('Do something else.');
  await talked.until(({ type }) => type === 'logged', from);
  await talked.rest();
  expect(session.queue).toEqual([]);
  expect(transcriptOf(talked)).toEqual([
    'user: Go.',
    'write_file: denied',
    'user: Do something else.',
    'model: Something else, then.',
  ]);
  // From one message to the next the session is never idle.
  const states = talked.told.slice(from).flatMap((event) => (event.type === 'state' ? [event.state.type] : []));
  expect(states.indexOf('idle')).toBe(states.length - 1);
});

test('work that begins while calls are being denied: each is denied once, and the session is idle once, at the end', async () => {
  const rig = await interactiveRig({
    reply: (_, index) =>
      index === 0
        ? calls(
            null,
            toolCall('write_file', { path: 'x', content: 'x' }, '1'),
            toolCall('write_file', { path: 'y', content: 'y' }, '2'),
          )
        : says('Done.'),
  });
  const talked = await rig.open();
  const { session } = talked;
  session.send('Go.');
  await talked.state('waiting');
  // The run that has led there is over.
  await new Promise(setImmediate);
  const from = talked.told.length;
  const { conversation } = session.opened ?? {};
  if (conversation === undefined) throw new Error('It is open.');
  const reject = conversation.reject.bind(conversation);
  const held = gate();
  const begun = new Promise<void>((resolve) => {
    conversation.reject = async (...how) => {
      resolve();
      await held.until;
      return reject(...how);
    };
  });
  session.interrupt();
  await begun;
  const work = session.work(
    (_, signal) => new Promise((_, stop) => signal.addEventListener('abort', () => stop(signal.reason as Error))),
  );
  expect(session.state).toMatchObject({ type: 'working', phase: 'condensing' });
  session.interrupt();
  held.open();
  await work;
  await talked.rest();
  expect(transcriptOf(talked)).toEqual(['user: Go.', 'write_file: denied', 'write_file: denied']);
  const states = talked.told.slice(from).flatMap((event) => (event.type === 'state' ? [event.state.type] : []));
  expect(states).toEqual(['working', 'working', 'idle']);
  await talked.said('And now?');
  expect(transcriptOf(talked).slice(3)).toEqual(['user: And now?', 'model: Done.']);
});

test('a condensation is interrupted, that the user asks for or that holds the agent up; its state is told', async () => {
  let hangs = true;
  const isSummary = (body: unknown) => (body as { readonly tools?: unknown }).tools === undefined;
  const rig = await interactiveRig(
    {
      reply: (body, index) =>
        isSummary(body)
          ? says('Files were read.')
          : index < 6
            ? calls(null, toolCall('read_file', { path: 'a.txt' }, `call_${index}`))
            : says('Done.'),
      faults: (body) => (hangs && isSummary(body) ? { fault: 'slow-first-byte', until: never } : undefined),
    },
    {
      'a.txt': 'hello '.repeat(300),
      'own.toml': '[condenser]\ntype = "llmSummarizing"\nmaxSize = 8\nkeepFirst = 2\nbackground = false\n',
    },
  );
  const talked = await rig.open({ config: join(rig.workspace, 'own.toml') });
  const { session } = talked;
  session.send('Read.');
  await talked.phase('condensing');
  expect(talked.told.some(({ type }) => type === 'background')).toBe(false);
  session.interrupt();
  await talked.rest();
  const asked = session.work((conversation, signal) => conversation.condense({ signal }));
  expect(session.state).toMatchObject({ type: 'working', phase: 'condensing' });
  expect(await session.work(async () => 'not while it works')).toBeUndefined();
  session.interrupt();
  expect(await asked).toBeUndefined();
  expect(session.state.type).toBe('idle');
  hangs = false;
  const made = await session.work((conversation) => conversation.condense());
  expect(made?.summary).toContain('Files were read.');
  await talked.said('Go on.');
  expect(transcriptOf(talked).at(-1)).toBe('model: Done.');
});

test('calls of one response are answered one by one: once, by rule, with a reason; a rule counts at once, and a bad one is told', async () => {
  const write = (path: string, id: string) => toolCall('write_file', { path, content: `${path}\n` }, id);
  const rig = await interactiveRig(
    {
      reply: (_, index) =>
        index === 0
          ? calls(
              null,
              write('src/a.txt', '1'),
              write('b.txt', '2'),
              toolCall('run_command', { command: 'ls src' }, '3'),
            )
          : index === 1
            ? calls(
                null,
                toolCall('run_command', { command: 'ls' }, '4'),
                write('src/d.txt', '5'),
                write('.git/hooks/x', '6'),
              )
            : says('Done.'),
    },
    { 'src/a.txt': 'old\n', '.git/config': '' },
  );
  const talked = await rig.open();
  const { session } = talked;
  session.send('Go.');
  const { approvals } = await talked.state('waiting');
  expect(approvals).toMatchObject([
    {
      name: 'write_file',
      reason: 'No rule allows it.',
      proposedRule: 'write_file(src/**)',
      diff: { path: 'src/a.txt', added: 1, removed: 1, isNew: false },
    },
    { proposedRule: 'write_file(b.txt)', diff: { isNew: true, added: 1, removed: 0 } },
    { name: 'run_command', proposedRule: 'run_command(ls *)', diff: undefined },
  ]);
  const [a = '', b = '', ls = ''] = approvals.map(({ id }) => id);
  await expect(session.answer([a], { type: 'session', rule: 'write_file(' })).rejects.toThrow('cannot be read');
  expect(session.state).toMatchObject({ approvals: { length: 3 } });
  await session.answer([b], { type: 'no', reason: 'b is mine.' });
  await session.answer([ls], { type: 'rule', rule: 'run_command(ls *)' });
  expect(session.state).toMatchObject({ approvals: [{ id: a }] });
  await session.answer([a], { type: 'session', rule: 'write_file(**)' });
  // Both rules count for the next response; the guarded path is asked about all the same, and no rule can allow it.
  await talked.until((event) => event.type === 'state' && event.state.type === 'waiting', talked.told.length);
  expect(session.state).toMatchObject({
    approvals: [{ reason: expect.stringContaining('.git') as string, proposedRule: undefined }],
  });
  const [hook] = (await talked.state('waiting')).approvals;
  await session.answer([hook?.id ?? ''], { type: 'no' });
  await talked.rest();
  expect(transcriptOf(talked)).toEqual([
    'user: Go.',
    'write_file: denied',
    'write_file: ok',
    'run_command: ok',
    'write_file: denied',
    'run_command: ok',
    'write_file: ok',
    'model: Done.',
  ]);
  expect(JSON.stringify(rig.server.requests[1]?.body)).toContain('b is mine.');
  expect(await readFile(join(rig.workspace, 'src/a.txt'), 'utf8')).toBe('src/a.txt\n');
  // What a call changed is told, and can be had again.
  const diff = await talked.until(({ type }) => type === 'diff');
  expect(diff).toMatchObject({ action: a, diff: { added: 1, removed: 1 } });
  await writeFile(join(rig.workspace, 'src/a.txt'), 'changed by somebody else');
  expect(await session.diffOf(a)).toMatchObject({ lines: [{ text: 'old' }, { text: 'src/a.txt' }] });
  await session.close();

  // The kept rule counts in the next session, the other one does not.
  const again = await rig.open();
  again.session.send('Again.');
  await again.rest();
  expect(again.session.sessionRules).toEqual([]);
  const kept = await readFile(join(rig.env['HOME'] ?? '', 'config', 'palimpsest', 'kept-rules.json'), 'utf8');
  expect(JSON.parse(kept)).toEqual({ version: 1, folders: { [rig.workspace]: { allow: ['run_command(ls *)'] } } });
});

test('a call that was allowed runs: that is the phase, and not that the model is asked; after a restart, too', async () => {
  const rig = await interactiveRig({
    reply: (_, index) =>
      index % 2 === 0 ? calls(null, toolCall('run_command', { command: `echo ${index}` })) : says('Done.'),
  });
  const first = await rig.open();
  const phasesAfterYes = async (talked: TalkedTo): Promise<readonly string[]> => {
    const { approvals } = await talked.state('waiting');
    const from = talked.told.length;
    await talked.session.answer(
      approvals.map(({ id }) => id),
      { type: 'once' },
    );
    await talked.state('idle');
    return talked.told
      .slice(from)
      .flatMap((event) => (event.type === 'state' && event.state.type === 'working' ? [event.state.phase] : []));
  };
  first.session.send('Go.');
  expect((await phasesAfterYes(first)).slice(0, 2)).toEqual(['tools', 'asking']);
  first.session.send('Again.');
  await first.state('waiting');
  await first.session.close();
  const again = await rig.open({}, await onlySession(rig));
  expect((await phasesAfterYes(again))[0]).toBe('tools');
});

test('a session that waits is answered by another process, and goes on; one that another process holds is told', async () => {
  const rig = await interactiveRig({
    reply: (_, index) =>
      index === 0 ? calls(null, toolCall('write_file', { path: 'x', content: 'x' })) : says('Done.'),
  });
  const talked = await rig.open();
  talked.session.send('Go.');
  await talked.state('waiting');
  const { session: stored } = await onlySession(rig);
  const surroundings = { env: rig.env, cwd: rig.workspace, stdout: { write: () => undefined } };
  expect(await answerCommand(stored.id, { type: 'yes' }, surroundings)).toBe(0);
  await talked.rest();
  expect(transcriptOf(talked)).toEqual(['user: Go.', 'write_file: ok', 'model: Done.']);
  const writer = await stored.store.openForWriting(stored.id);
  talked.session.send('Once more.');
  await talked.rest();
  expect(talked.notices.at(-1)).toMatch(/is at work in /);
  expect(talked.session.queue).toMatchObject([{ text: 'Once more.' }]);
  await writer.close();
  await talked.said('Now.');
  expect(transcriptOf(talked).slice(3)).toEqual(['user: Once more.', 'user: Now.', 'model: Done.']);
});

test('a resumed session tells its history and what waits; another model, another session, and back', async () => {
  const rig = await interactiveRig({
    reply: (body, index) =>
      index === 1
        ? calls(null, toolCall('write_file', { path: 'x', content: 'x' }))
        : says(`I am ${(body as { readonly model: string }).model}.`),
  });
  const first = await rig.open();
  await first.said('Who?');
  first.session.send('Write.');
  await first.state('waiting');
  await first.session.close();
  const listed = await onlySession(rig);
  const talked = await rig.open({}, listed);
  const opened = talked.told.find((event) => event.type === 'opened');
  expect(opened).toMatchObject({ init: { isResumed: true, session: listed.session.id, cutOff: [] } });
  expect(opened?.type === 'opened' ? opened.history.flatMap(({ told }) => told).map(({ type }) => type) : []).toEqual(
    expect.arrayContaining(['message', 'tool-call', 'usage']),
  );
  const { approvals } = await talked.state('waiting');
  await talked.session.answer(
    approvals.map(({ id }) => id),
    { type: 'once' },
  );
  await talked.rest();
  expect(transcriptOf(talked)).toEqual(['write_file: ok', 'model: I am local.']);
  await talked.session.switchTo({ session: 'same', flags: { model: 'other' } });
  await talked.said('And now?');
  expect(transcriptOf(talked).at(-1)).toBe('model: I am other.');
  await talked.session.switchTo({ session: 'new' });
  expect(talked.session.opened?.session.id).not.toBe(listed.session.id);
  // One that cannot be opened leaves what was open.
  await talked.session.switchTo({ session: 'same', flags: { cwd: '/no/such/folder' } });
  expect(talked.notices.at(-1)).toContain('/no/such/folder');
  expect(talked.session.state.type).toBe('idle');
  await talked.session.switchTo({ session: listed });
  await talked.said('Still there?');
  expect(talked.session.opened?.session.id).toBe(listed.session.id);
  expect((await onlySession(rig)).record.task).toBe('Who?');
});

test('interrupted before anything was sent, and all taken back while it works: nothing is lost, and nothing sent that should not be', async () => {
  const rig = await interactiveRig(
    { reply: (_, index) => (index === 0 ? calls(null, toolCall('read_file', { path: 'a.txt' })) : says('Done.')) },
    { 'a.txt': 'hello' },
  );
  const talked = await rig.open();
  const { session } = talked;
  for (const text of ['One.', 'Two.']) session.send(text);
  session.interrupt();
  await talked.rest();
  expect(rig.server.requests).toEqual([]);
  expect(transcriptOf(talked)).toEqual(['user: One.']);
  expect(session.queue).toMatchObject([{ text: 'Two.' }]);
  const stop = session.observe((event) => {
    if (event.type !== 'logged' || event.event.type !== 'action') return;
    session.send('Three.');
    session.withdraw();
  });
  session.goOn();
  await talked.rest();
  stop();
  expect(transcriptOf(talked)).toEqual(['user: One.', 'user: Two.', 'read_file: ok', 'model: Done.']);
});

test('limits and failures are told, and the next message goes on', async () => {
  const rig = await interactiveRig({
    reply: (_, index) => (index < 3 ? calls(null, toolCall('list_files', {}, `call_${index}`)) : says('Done.')),
    faults: (_, index) => (index === 4 ? { fault: 'spend-limit' } : undefined),
  });
  const talked = await rig.open({ maxSteps: 2 });
  await talked.said('Go.');
  expect(talked.notices.at(-1)).toContain('The limit of 2 model calls was reached');
  talked.session.goOn();
  await talked.rest();
  expect(transcriptOf(talked).at(-1)).toBe('model: Done.');
  await talked.said('Again.');
  expect(talked.notices.at(-1)).toMatch(/quota|spend|429/i);
  await talked.said('And again.');
  expect(transcriptOf(talked).at(-1)).toBe('model: Done.');
});
