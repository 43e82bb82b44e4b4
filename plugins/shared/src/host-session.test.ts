import { memoryEventStore } from '@palimpsest/events';
import { anthropicMessages, condensedHistory } from '@palimpsest/messages';
import type { AnthropicMessageLike } from '@palimpsest/messages';
import type { Condenser } from '@palimpsest/view';
import { describe, expect, it } from 'vitest';
import { HostSession } from './host-session.js';
import { HostSessions } from './host-sessions.js';

const request = { model: { contextWindow: 200_000, prices: { read: 0.1, write: 1.25, output: 5 } }, usdPerToken: 5e-6 };

function conversation(steps: number): AnthropicMessageLike[] {
  const messages: (AnthropicMessageLike & { content: unknown })[] = [
    { role: 'user', content: 'Read the files of the shop, and keep each price.' },
  ];
  for (let step = 1; step <= steps; step++) {
    const id = `toolu_${step}`;
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'read', input: { file: `part${step}.ts` } }],
    });
    const content = Array.from(
      { length: 120 },
      (_, line) => `export const price${step}_${line} = ${step * line};`,
    ).join('\n');
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
  }
  return messages;
}

const usageOf = (messages: readonly unknown[], read: number) => ({
  input_tokens: 0,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: Math.max(0, Math.ceil(JSON.stringify(messages).length / 4) - read),
  output_tokens: 40,
});

/** A session after so many steps, with what the provider counted for each. */
async function run(
  session: HostSession<AnthropicMessageLike>,
  steps: number,
): Promise<readonly AnthropicMessageLike[]> {
  const messages = conversation(steps);
  let sent: readonly AnthropicMessageLike[] = [];
  let read = 0;
  for (let step = 1; step <= steps; step++) {
    sent = await session.fit(messages.slice(0, 2 * step + 1), request);
    await session.used(usageOf(sent, read));
    read = Math.ceil(JSON.stringify(sent).length / 4);
  }
  return sent;
}

const sessionsWith = (options: Partial<ConstructorParameters<typeof HostSessions<AnthropicMessageLike>>[0]> = {}) =>
  new HostSessions<AnthropicMessageLike>({
    codec: anthropicMessages(),
    store: memoryEventStore(),
    host: 'pi',
    ...options,
  });

/** A session with a condenser of one's own. */
function sessionWith(condense: Condenser['condense']) {
  const condenser: Condenser = { name: 'faulty', condense };
  const history = condensedHistory<AnthropicMessageLike>({
    condenser,
    codec: anthropicMessages(),
    condenserTimeoutMs: 50,
  });
  return new HostSession<AnthropicMessageLike>('one', history, { host: 'pi', condenser });
}

describe('a long session', () => {
  it('is condensed, and says what went, why, what it saved, and what came back', async () => {
    const session = sessionsWith({ hostVersion: '9.9.9' }).of('one');
    const sent = await run(session, 40);

    expect(sent.length).toBeLessThan(60);
    expect(session.statusLine()).toMatch(/^\d+k held · \d+(\.\d)?k sent · \d+ % saved$/);
    const page = session.condensedPage();
    expect(page).toMatch(/^\d+ condensations? in this session\. \d+k tokens are held, .*\$\d+\.\d\d saved/);
    expect(page).toContain('because to read on would cost more than to write the rest anew');
    expect(page).toMatch(/read part\d+\.ts {2}\[\w{8}\]/);
    expect(page).toContain('came back: nothing');
    expect(page).toContain('pi 9.9.9 was not tested with this plugin: 1.5.2 was.');
  });

  it('has what was hidden, for recall', async () => {
    const session = sessionsWith().of('one');
    await run(session, 40);

    const { content, isError } = await session.recall({ query: 'price2_7' });
    expect(isError).toBe(false);
    expect(JSON.stringify(content)).toContain('price2_7 = 14');
    expect(await session.recall({ address: 'nonsense' })).toMatchObject({ isError: true });
    expect(session.recallTool.name).toBe('recall');
  });

  it('goes on in another process as it was', async () => {
    const store = memoryEventStore();
    await run(sessionsWith({ store }).of('one'), 40);
    const messages = conversation(41);
    const here = await sessionsWith({ store }).of('one').fit(messages.slice(0, 81), request);
    const there = await sessionsWith({ store }).of('one').fit(messages, request);

    expect(there.slice(0, here.length)).toEqual(here);
  });

  it('holds no more than the user allows', async () => {
    const session = sessionsWith({ maxTokens: 12_000 }).of('one');
    const sent = await run(session, 40);
    expect(JSON.stringify(sent).length / 4).toBeLessThan(12_000);
  });
});

describe('a list aside', () => {
  it('is condensed and searched, and what is said of the session stays', async () => {
    const session = sessionsWith().of('one');
    const messages = conversation(30);
    await session.fit(messages.slice(0, 11), request);
    const said = session.statusLine();

    const aside = await session.fit(messages, { ...request, condense: 'now', focus: 'price9', isAside: true });
    expect(aside.length).toBeLessThan(messages.length);
    expect(session.statusLine()).toBe(said);
    expect(JSON.stringify(await session.recall({ query: 'price2_7' }, messages))).toContain('price2_7 = 14');
    expect(session.statusLine()).toBe(said);
  });

  it('counts what is sent beside it', async () => {
    const [session, other] = [sessionsWith().of('one'), sessionsWith().of('one')];
    const messages = conversation(12);
    expect(await session.fit(messages, request)).toBe(messages);
    expect((await other.fit(messages, { ...request, fixedTokens: 185_000 })).length).toBeLessThan(messages.length);
  });
});

describe('the account', () => {
  it('keeps what came back when a later condensation hides it again, and counts each request at once', async () => {
    const session = sessionsWith().of('one');
    const messages = conversation(14).slice(0, 25);
    await session.fit(messages, request);
    await session.condense();
    const again = [...messages];
    for (let part = 1; part <= 3; part++) {
      const [call, result] = messages.slice(2 * part - 1, 2 * part + 1) as [object, { content: { content: string }[] }];
      const id = `again_${part}`;
      again.push({
        ...call,
        content: [{ type: 'tool_use', id, name: 'bash', input: { command: `cat part${part}.ts` } }],
      } as never);
      again.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: result.content[0]!.content }],
      } as never);
      const sent = await session.fit([...again], { ...request, condense: false });
      await session.used(usageOf(sent, 0));
    }
    expect(session.condensedPage()).toContain('since then: 3 requests');
    expect(session.condensedPage()).toMatch(/came back: 3 results, [\d.]+k tokens \(0 by recall\)/);
    const more = [...again, { role: 'assistant', content: 'All is read.' }, { role: 'user', content: 'Go on.' }];
    await session.fit(more, { ...request, condense: 'now' });
    expect(session.condensedPage()).toMatch(/came back: 3 results/);
  });

  it('names the price that taking it back has, after several condensations', async () => {
    const session = sessionsWith().of('one');
    await run(session, 40);
    await session.condense();
    const [, , to] = /grows from ([\d.]+)k to ([\d.]+)k/.exec(session.undoPrice() ?? '') ?? [];
    await session.undo();
    const [, , sent] = /^(\d+)k held · ([\d.]+)k sent/.exec(session.statusLine()) ?? [];
    expect(Math.abs(Number(sent) - Number(to))).toBeLessThanOrEqual(1);
  });
});

describe('commands', () => {
  it('condense when asked, and take it back for the price that was named', async () => {
    const session = sessionsWith().of('one');
    expect(await session.condense()).toBe('There is nothing to condense yet.');
    const messages = conversation(12);
    await session.fit(messages.slice(0, 21), request);
    expect(session.undoPrice()).toBeUndefined();

    expect(await session.condense('price3')).toMatch(/^Condensed: the next request holds [\d.]+k of [\d.]+k tokens\.$/);
    expect(session.condensedPage()).toContain('with the focus “price3”');
    expect(session.undoPrice()).toMatch(
      /grows from [\d.]+k to [\d.]+k tokens and is written again, once for \$0\.\d\d/,
    );

    expect(await session.undo()).toMatch(/^Taken back\./);
    expect(session.condensedPage()).toContain('(taken back)');
    expect(await session.fit(messages.slice(0, 23), request)).toEqual(messages.slice(0, 23));
    expect(await session.undo()).toMatch(/^No condensation is in force/);
  });

  it('make no other condensation after one was taken back, in another process neither', async () => {
    const store = memoryEventStore();
    const session = sessionsWith({ store }).of('one');
    const messages = conversation(60);
    await session.fit(messages.slice(0, 61), { ...request, condense: false });
    await session.condense();
    await session.undo();

    expect(await session.fit(messages, request)).toEqual(messages);
    expect(await sessionsWith({ store }).of('one').fit(messages, request)).toEqual(messages);
    expect(await session.condense()).toMatch(/^Condensed/);
  });

  it('say that there is nothing to condense', async () => {
    const session = sessionsWith().of('one');
    await session.fit(conversation(0), request);
    expect(await session.condense()).toMatch(/^Nothing was condensed: /);
  });

  it('turn it off and on', async () => {
    const session = sessionsWith({ isOn: false }).of('one');
    const messages = conversation(60);
    expect(await session.fit(messages, request)).toBe(messages);
    expect(session.statusLine()).toBe('off');
    expect(await session.condense()).toBe('Palimpsest is off in this session.');

    session.turn(true);
    expect((await session.fit(messages, request)).length).toBeLessThan(messages.length);
    session.turn(false);
    expect(await session.fit(messages, request)).toBe(messages);
  });
});

describe('what fails', () => {
  const throwing = () => Promise.reject(new Error('no tokens'));
  const hanging = () => new Promise<never>(() => undefined);
  const nonsense = () => Promise.resolve({ type: 'nonsense' } as never);

  it.each([
    ['throws', throwing, 'no tokens'],
    ['hangs', hanging, ''],
    ['answers nonsense', nonsense, ''],
  ])('leaves the list as it is: a condenser that %s', async (_, condense, said) => {
    const session = sessionWith(condense);
    const messages = conversation(10);
    let calls = 0;
    const counted = sessionWith(() => {
      calls += 1;
      return condense();
    });
    expect(await session.fit(messages, request)).toBe(messages);
    expect(session.statusLine()).toMatch(/^no condensation for 20 steps: /);
    expect(session.statusLine()).toContain(said);
    expect(session.condensedPage()).toContain('There is no condensation for 20 steps');

    for (let step = 0; step < 100; step++) expect(await counted.fit(messages, request)).toBe(messages);
    // A history holds one that hangs back by itself.
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(3);
  });

  it('says that a condensation could not be stored', async () => {
    const store = memoryEventStore();
    const full = {
      ...store,
      append: () => Promise.reject(new Error("ENOSPC: no space left, write '/home/me/.pi/sessions/a/log.jsonl'")),
    };
    const session = sessionsWith({ store: full }).of('one');
    await session.fit(conversation(12), { ...request, condense: false });
    expect(await session.condense()).toMatch(/^Condensed: .* But: ENOSPC: no space left, write '…\/log\.jsonl'\.$/);
    expect(session.statusLine()).toBe("no condensation for 20 steps: ENOSPC: no space left, write '…/log.jsonl'");
  });

  it('counts no abort as a failure', async () => {
    const session = sessionsWith().of('one');
    const messages = conversation(60);
    for (let time = 0; time < 5; time++)
      expect(await session.fit(messages, { ...request, signal: AbortSignal.abort() })).toBe(messages);
    expect(session.problem).toBeUndefined();
    expect((await session.fit(messages, request)).length).toBeLessThan(messages.length);
  });

  it('is remembered where a host starts its plugin anew', async () => {
    const session = sessionWith(throwing);
    await session.fit(conversation(10), request);
    const again = sessionsWith().of('one', session.boundary);
    expect(again.statusLine()).toBe('no condensation for 20 steps: no tokens');
    expect(await again.fit(conversation(60), request)).toHaveLength(121);
  });

  it('leaves a list of an unknown shape as it is', async () => {
    const session = sessionsWith().of('one');
    for (const list of [[null], [{ role: 'robot', parts: [1, 2] }], [{}, 'text', 7]]) {
      expect(await session.fit(list as never, request)).toEqual(list);
    }
    expect(await session.fit('no list' as never, request)).toBe('no list');
    expect(session.problem).toMatch(/^no condensation for 20 steps/);
  });

  it('prints no escape of a tool', async () => {
    const session = sessionsWith().of('one');
    const messages = conversation(12);
    const [, call] = messages as unknown as { content: { input: object }[] }[];
    call!.content[0]!.input = { file: '\u001b[2Jevil\u202e' };
    await session.fit(messages, request);
    await session.condense();
    expect(session.condensedPage()).not.toMatch(/[\u001b\u202e]/);
    expect(session.condensedPage()).toContain('·[2Jevil·');
  });
});
