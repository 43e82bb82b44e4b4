import { addressOf } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { calls, says, toolCall } from '../../test-support/chat-server.js';
import { interactiveRig } from '../../test-support/interactive-rig.js';
import { ScriptedModel, use } from '../../test-support/scripted-model.js';
import type { TalkedTo } from '../../test-support/interactive-rig.js';
import { typedCommands } from '../../test-support/typed-commands.js';
import { ChoiceList } from '../screen/dialogs.js';
import { statusFigures } from '../screen/status-figures.js';
import { plainStyles } from '../../test-support/screen-rig.js';

const files = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [
    `file${index}.txt`,
    `harbour${index} is at port ${8_000 + index}\n${`line of file ${index}\n`.repeat(120)}`,
  ]),
);
const reads = Object.keys(files);
const state = {
  user_context: 'Read them.',
  completed_tasks: 'All read.',
  pending_tasks: 'None.',
  current_state: 'Harbours.',
};
const isSummary = (body: unknown): boolean => JSON.stringify(body).includes('You keep the memory of an agent');

/** A session that has read eight files, over Chat Completions; answers of summaries are states. */
async function read() {
  let step = 0;
  const rig = await interactiveRig(
    {
      reply: (body) => {
        if (isSummary(body)) return says(JSON.stringify(state));
        const path = reads[step++];
        return path === undefined ? says('Done.') : calls(null, toolCall('read_file', { path }, `c${step}`));
      },
    },
    files,
  );
  const talked = await rig.open({ yolo: true });
  await talked.said('Read all files.');
  return { rig, talked, screen: typedCommands(talked.session), conversation: opened(talked) };
}

/** True: a request holds a file in full. */
const holds = (body: string, file: number): boolean => body.split(`line of file ${file}\\n`).length > 100;

const opened = ({ session }: TalkedTo) => {
  const { conversation } = session.opened ?? {};
  if (conversation === undefined) throw new Error('no session is open');
  return conversation;
};

test('/compact with a focus has the model write the summary by it; the next request holds the summary; /undo-compact takes it back', async () => {
  const { rig, talked, screen, conversation } = await read();
  const before = conversation.view.tokens();
  const said = await screen.type('/compact keep the harbour and its port');
  expect(said).toMatch(
    /structuredSummary: it was asked for · [\d,]+ → [\d,]+ tokens a request \(−\d+ %\); \d+ events summarized/,
  );
  const asked = rig.server.requests.filter(({ body }) => isSummary(body)).map(({ body }) => JSON.stringify(body));
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("These are the user's own words");
  expect(asked[0]).toContain('keep the harbour and its port');

  const page = await screen.type('/condensations last');
  expect(page).toContain('You asked for it, with a focus: keep the harbour and its port');
  expect(page).toContain('Harbours.');
  const forgotten = conversation.view.condensations[0]?.forgottenEventIds ?? [];
  for (const id of forgotten) expect(page).toContain(addressOf(id));
  expect(page).toMatch(/the next request writes [\d,]+ tokens again/);

  for (const list of ['/condensations', '/undo-compact list']) {
    expect(await screen.type(list)).toBe('');
    const { title, items } = screen.asked.at(-1) ?? { title: '', items: [] };
    const choices = new ChoiceList({ title, items, styles: plainStyles, maxVisible: () => 9, chosen: () => undefined });
    const text = choices.render(80).join('\n');
    expect(text).toContain('(time in UTC, kind, tokens before → after)');
    expect(text).toMatch(/ › \d\d-\d\d \d\d:\d\d summary [\d.]+k → [\d.]+k +\w{8} structuredSummary/);
    // The sizes are not told twice: what was hidden would be cut.
    expect(choices.render(120).join('\n')).toMatch(/structuredSummary: it was asked for · \d+ events summarized$/m);
  }

  await talked.said('Go on.');
  const next = JSON.stringify(rig.server.requests.at(-1)?.body);
  expect(next).toContain('Harbours.');
  expect(next).not.toContain('line of file 1');

  const back = await screen.type('/undo-compact');
  expect(back).toContain(`The model reads ${forgotten.length} events`);
  expect(back).toContain('No condensation happens now, until you /compact or the window is full.');
  expect(conversation.view.tokens()).toBeGreaterThan(before);
  await talked.said('And now?');
  expect(JSON.stringify(rig.server.requests.at(-1)?.body)).toContain('line of file 1');
  expect(await screen.type('/condensations last')).toContain('Reverted at');
  expect(await screen.type('/undo-compact')).toContain('No condensation is in force');
});

test('/cost and the page of a condensation say what was read again after it was hidden', async () => {
  const parts = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [
      `${name}.ts`,
      Array.from({ length: 200 }, (_, line) => `export const ${name}${line} = part(${line}, '${name}');`).join('\n'),
    ]),
  );
  const replies = [
    ...Object.keys(parts).map((path) => calls(null, toolCall('read_file', { path }, `read ${path}`))),
    says('Read.'),
    calls(null, toolCall('run_command', { command: 'head -n 120 a.ts' }, 'again')),
    says('It has parts.'),
  ];
  const rig = await interactiveRig({ reply: () => replies.shift() ?? says('Done.') }, parts);
  const talked = await rig.open({ yolo: true });
  const screen = typedCommands(talked.session);
  await talked.said('Read all files.');
  expect(await screen.type('/cost')).toContain('Nothing was condensed.');
  await screen.type('/compact');
  expect(await screen.type('/cost')).toContain('Read again after it was hidden: nothing.');
  expect(await screen.type('/condensations last')).toContain('Read again before the next condensation: nothing.');
  await talked.said('What does the first file say?');
  expect(await screen.type('/condensations last')).toMatch(
    /^Read again before the next condensation: [\d,]{4,} tokens in 1 call, \$0\.\d+\.$/m,
  );
  expect(await screen.type('/cost')).toMatch(
    /^Read again after it was hidden: [\d,]{4,} tokens in 1 call, \$0\.\d+, \d+ % of the cost\.$/m,
  );
});

test('/compact without a focus asks no model, and changes nothing where nothing can be condensed', async () => {
  const { rig, screen, talked } = await read();
  const requests = rig.server.requests.length;
  expect(await screen.type('/compact')).toContain('digest');
  // Where the size to condense to is reached, a request takes all that may go.
  expect(await screen.type('/compact')).toContain('digest');
  expect(rig.server.requests).toHaveLength(requests);
  await screen.type('/condensations');
  const [, newest] = talked.session.opened?.conversation.view.condensations ?? [];
  expect(screen.asked.at(-1)?.items[0]?.value).toBe(newest?.id);
  const from = talked.told.length;
  // The log tells it, so the command does not say it again.
  expect(await screen.type('/compact')).toBe('');
  const attempts = talked.told.slice(from).flatMap((each) => (each.type === 'logged' ? each.told : []));
  expect(attempts.at(-1)).toMatchObject({ type: 'condensation', forgotten: 0, masked: 0 });
  expect(await screen.type(`/compact ${'x'.repeat(4_001)}`)).toMatch(/^(?!Palimpsest has a defect).*it may have 4000/);
  await talked.said('Go on.');
  expect(await screen.type('/cost')).toContain('condensation, digest: it was asked for');
});

test('/view, /context and the status line hold the thinking that the next request holds, and no other', async () => {
  const model = await ScriptedModel.start();
  const rig = await interactiveRig({ reply: () => says('unused') }, files);
  const env = { ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', ANTHROPIC_BASE_URL: model.url };
  const flags = { yolo: true, model: 'anthropic/claude-sonnet-5-5', baseUrl: undefined };
  const talked = await rig.open(flags, undefined, env);
  const screen = typedCommands(talked.session);
  let isCounted = (): void => undefined;
  const figures = statusFigures(talked.session, () => isCounted());
  const tokensInStatus = async (): Promise<number | undefined> => {
    const counted = new Promise<void>((resolve) => (isCounted = resolve));
    figures();
    await counted;
    return figures().tokens;
  };
  model.will(
    ...reads.map((path) => ({ thinking: `thought of ${path}. `.repeat(40), calls: [use('read_file', { path })] })),
    { thinking: 'thought of the end. '.repeat(40), text: 'Done.' },
  );
  await talked.said('Read all files.');
  const check = async (): Promise<readonly string[]> => {
    const view = await screen.type('/view');
    const context = await screen.type('/context');
    const inStatus = await tokensInStatus();
    model.will({ text: 'Yes.' });
    await talked.said('And?');
    const names = [...reads, 'the end'].map((name) => `thought of ${name}.`);
    const sent = names.filter((name) => model.lastRead.includes(name));
    expect(names.filter((name) => view.includes(name))).toEqual(sent);
    const [, total = ''] = /^Context: ([\d,]+) tokens/.exec(context) ?? [];
    const parts = context
      .slice(0, context.indexOf('\n\n'))
      .split('\n')
      .filter((line) => / events?$/.test(line))
      .map((line) => Number(/ {2}([\d,]+) tokens/.exec(line)?.[1]?.replaceAll(',', '')));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Number(total.replaceAll(',', '')));
    expect(inStatus).toBe(Number(total.replaceAll(',', '')));
    expect(view).toContain(`What the model reads: ${total} tokens`);
    return sent;
  };
  expect(await check()).toHaveLength(9);
  // What followed the condensed history is bound to it, and is no longer sent.
  await screen.type('/compact');
  expect(await screen.type('/context')).toContain('Kept, and not sent: ');
  expect(await check()).toEqual([]);
});

test('a pin holds against every condensation: the result is in each request word for word', async () => {
  const { rig, talked, screen, conversation } = await read();
  const [, , pinned] = [...conversation.view.events].filter((event) => event.type === 'observation');
  const address = addressOf(pinned?.id ?? '');
  expect(await screen.type(`/pin ${address}`)).toContain(`Pinned: ${address}`);
  expect(await screen.type(`/pin ${address}`)).toContain('pinned already');
  for (const words of ['One.', 'Two.', 'Three.']) {
    await screen.type('/compact everything but the files');
    await talked.said(words);
    const body = JSON.stringify(rig.server.requests.at(-1)?.body);
    expect(holds(body, 2)).toBe(true);
    expect(holds(body, 1)).toBe(false);
    expect(holds(body, 3)).toBe(false);
  }
  expect(await screen.type('/pin list')).toContain(address);
  expect(await screen.type('/view')).toMatch(new RegExp(`result of read_file · ${address} · [\\d,]+ tokens · pinned`));
  expect(await screen.type(`/unpin ${address.slice(0, 6)}`)).toContain('No longer pinned');
  await screen.type('/compact everything but the files');
  await talked.said('Four.');
  expect(holds(JSON.stringify(rig.server.requests.at(-1)?.body), 2)).toBe(false);
  // What is hidden cannot be pinned, and what does not exist neither.
  expect(await screen.type(`/pin ${address}`)).toContain(`The model sees no event '${address}' now`);
  expect(await screen.type('/unpin')).toBe('Nothing is pinned.');
});

test('/pin from a list, and by last; /unpin all', async () => {
  const { screen, conversation } = await read();
  screen.answer('file3.txt');
  expect(await screen.type('/pin')).toContain('file3.txt');
  expect(screen.asked[0]?.items.some(({ label }) => label.includes('Read all files.'))).toBe(true);
  expect(await screen.type('/pin last')).toContain('file7.txt');
  screen.answer(undefined);
  expect(await screen.type('/pin')).toBe('');
  expect(await screen.type('/unpin all')).toContain('file3.txt');
  expect(await screen.type('/pin list')).toBe('Nothing is pinned.');
  expect(conversation.view.condensations).toEqual([]);
});

test('/recall finds what is hidden and brings it back, as a message or by taking the condensation back', async () => {
  const { rig, talked, screen } = await read();
  expect(await screen.type('/recall harbour2')).toContain('Nothing is hidden from the model. The model sees 1 that do');
  await screen.type('/compact nothing');
  screen.answer('file2.txt', 'tell');
  expect(await screen.type('/recall harbour2')).toContain('harbour2 is at port 8002');
  await talked.said('Go on.');
  const body = JSON.stringify(rig.server.requests.at(-1)?.body);
  expect(body).toContain('The user brings back a part of this conversation');
  expect(body).toContain('harbour2 is at port 8002');
  screen.answer('file3.txt', 'revert');
  expect(await screen.type('/recall harbour3')).toContain('Taken back.');
  expect(await screen.type('/recall zebra')).toMatch(/None of|Nothing is hidden/);
  expect(await screen.type('/recall')).toContain('Say what to search for');
});

test('/context adds up to the view, by kind and tool; /view shows the whole of it with hidden parts in their place', async () => {
  const { screen, conversation } = await read();
  const context = await screen.type('/context');
  expect(context).toMatch(/results of read_file +[\d,]+ tokens +\d+ % +8 events/);
  expect(context).toMatch(/tool definitions \(\d+\) /);
  expect(context).toContain('instructions');
  await screen.type('/compact');
  const view = await screen.type('/view');
  expect(view).toContain('system · instructions');
  expect(view).toContain('user · your message');
  expect(view).toMatch(/··· \d+ events hidden: digest: it was asked for \(\w{8}\)/);
  for (const event of conversation.view.events) expect(view).toContain(addressOf(event.id));
  const hidden = screen.pages.at(-1)?.lines.filter(({ style }) => style === 'hidden') ?? [];
  expect(hidden.some(({ text }) => text.includes('file1.txt'))).toBe(true);
  // A line of a page is one line.
  expect(screen.pages.flatMap(({ lines }) => lines).every(({ text }) => !/[\r\n]/.test(text))).toBe(true);
});

test('while the agent works: what reads is shown, /compact is asked for and made at the next step, others wait', async () => {
  let release = (): void => {};
  const started = new Promise<void>((resolve) => {
    release = resolve;
  });
  let step = 0;
  let typed = (): void => {};
  const isTyped = new Promise<void>((resolve) => {
    typed = resolve;
  });
  const rig = await interactiveRig(
    {
      reply: async (body) => {
        if (isSummary(body)) return says(JSON.stringify(state));
        const path = reads[step++];
        if (step === 7) {
          release();
          await isTyped;
        }
        return path === undefined ? says('Done.') : calls(null, toolCall('read_file', { path }, `c${step}`));
      },
    },
    files,
  );
  const talked = await rig.open({ yolo: true });
  const screen = typedCommands(talked.session);
  talked.session.send('Read all files.');
  await started;
  expect(await screen.type('/context')).toContain('results of read_file');
  expect(await screen.type('/rewind')).toContain('has to wait until the agent is done');
  expect(await screen.type('/pin last')).toContain('file5.txt');
  expect(await screen.type('/compact the harbours')).toContain('the agent condenses before its next step');
  typed();
  await talked.state('idle');
  const conversation = opened(talked);
  expect(conversation.view.condensations).toHaveLength(1);
  const last = JSON.stringify(rig.server.requests.at(-1)?.body);
  expect(last).toContain('Harbours.');
  expect(holds(last, 5)).toBe(true);
  expect(holds(last, 1)).toBe(false);
});
