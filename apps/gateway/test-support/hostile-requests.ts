/** A request that a client might send, or none should. */
export interface HostileRequest {
  /** The beginning of its list: the same for all requests of a conversation. */
  readonly opening: unknown;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** The places where the body is split. */
  readonly cuts: readonly number[];
  readonly isChunked: boolean;
  /** The client goes when it has sent so many bytes of the body. @defaultValue it stays */
  readonly goesAt: number | undefined;
}

/** Numbers that follow from a seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 to 1 (Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance = (share: number): boolean => this.next() < share;
  below = (count: number): number => Math.floor(this.next() * count);
  pick = <One>(values: readonly One[]): One => values[this.below(values.length)]!;
}

type Api = 'messages' | 'chat' | 'responses';

const paths = { messages: '/v1/messages', chat: '/v1/chat/completions', responses: '/v1/responses' };

/** An agent's conversation, which grows by a call and its result, or by words of the user. */
class GrowingConversation {
  readonly api: Api;
  readonly #dice: Dice;
  #list: object[];
  #steps = 0;

  constructor(api: Api, dice: Dice) {
    this.api = api;
    this.#dice = dice;
    this.#list = [this.#user()];
  }

  get opening(): unknown {
    return this.#list[0];
  }

  grow(): readonly object[] {
    const { api } = this;
    const id = `call_${this.#steps++}`;
    const text = Array.from(
      { length: 60 },
      () => `export const price${this.#dice.below(1e6)} = ${this.#dice.next()};`,
    ).join('\n');
    const input = { path: `src/${this.#dice.below(30)}.ts`, '1': 1, big: 12_345 };
    if (api === 'messages')
      this.#list.push(
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
      );
    else if (api === 'chat')
      this.#list.push(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: JSON.stringify(input) } }],
        },
        { role: 'tool', tool_call_id: id, content: text },
      );
    else
      this.#list.push(
        { type: 'function_call', call_id: id, name: 'read', arguments: JSON.stringify(input) },
        { type: 'function_call_output', call_id: id, output: text },
      );
    if (this.#dice.chance(0.2)) this.#list.push({ role: 'assistant', content: 'It is read.' }, this.#user());
    // A client goes back, or forgets itself.
    if (this.#dice.chance(0.03)) this.#list = this.#list.slice(0, 1 + 2 * this.#dice.below(this.#list.length / 2));
    if (this.#list.length > 90) this.#list = [this.#user()];
    return [...this.#list];
  }

  #user(): object {
    return { role: 'user', content: `Look at uw${this.#dice.below(1e9)}x, please. \u{1f600} é` };
  }
}

/** Makes requests, one after another, that follow from a seed. */
export function hostileRequests(dice: Dice): () => HostileRequest {
  const apis: readonly Api[] = ['messages', 'chat', 'responses', 'messages', 'chat', 'responses'];
  const conversations = apis.map((api) => new GrowingConversation(api, dice));
  return () => {
    const conversation = dice.pick(conversations);
    const { api } = conversation;
    const key = api === 'responses' ? 'input' : 'messages';
    const list = dirtied([...conversation.grow()], dice);
    const value = {
      model: dice.pick(['claude-opus-4-5', 'gpt-4o', 'gpt-5', 'nobody-knows', 7, null]),
      ...(api === 'messages' && { max_tokens: 1_000, system: 'You work.' }),
      ...(dice.chance(0.5) && { tools: [{ name: 'read', input_schema: { type: 'object' } }] }),
      ...(dice.chance(0.05) && { [dice.pick(['previous_response_id', 'context_management', 'conversation'])]: 'x' }),
      [key]: list,
      stream: dice.chance(0.5),
    };
    const text = JSON.stringify(value, undefined, dice.pick([undefined, undefined, 1, '\t']));
    const body = broken(Buffer.from(text), key, dice);
    const count = dice.pick([0, 0, 1, 5]);
    return {
      opening: conversation.opening,
      path: dice.chance(0.97) ? paths[api] : dice.pick([...Object.values(paths), '/v1/messages/count_tokens', '/v1/x']),
      headers: headersBy(dice),
      body,
      cuts: Array.from({ length: count }, () => dice.below(body.length)).sort((a, b) => a - b),
      isChunked: dice.chance(0.3),
      goesAt: dice.chance(0.05) ? dice.below(body.length) : undefined,
    };
  };
}

const wrong: readonly unknown[] = [null, 0, '', 'text', [], {}, [null], { type: 'text' }, { role: 'nobody' }, true];

/** Puts something into a list that is no message, or gives a message a field that is amiss. */
function dirtied(list: unknown[], dice: Dice): readonly unknown[] {
  if (!dice.chance(0.2)) return list;
  const at = dice.below(list.length);
  const message = list[at] as object;
  const dirty = dice.chance(0.5)
    ? dice.pick(wrong)
    : { ...message, [dice.pick(Object.keys(message))]: dice.pick(wrong) };
  list.splice(at, dice.below(2), dirty);
  return list;
}

/** Changes bytes of a body, so that it is another one, or no JSON at all. */
function broken(body: Buffer, key: string, dice: Dice): Buffer {
  const at = dice.below(body.length);
  const [before, behind] = [body.subarray(0, at), body.subarray(at)];
  const inObject = (text: string) => Buffer.concat([body.subarray(0, -1), Buffer.from(`,${text}}`)]);
  const kinds: readonly (() => Buffer)[] = [
    () => before,
    () => Buffer.concat([before, behind.subarray(1)]),
    () => Buffer.concat([before, Buffer.of(dice.below(256)), behind]),
    () => Buffer.concat([before, Buffer.of(dice.below(256)), behind.subarray(1)]),
    () => Buffer.concat([before, body, behind]),
    () => Buffer.concat([Buffer.from('\ufeff'), body]),
    () => inObject(`"${key}":[]`),
    () => inObject(`"${key.replace('e', '\\u0065')}":[]`),
    () => inObject('"__proto__":{"messages":[],"input":[]}'),
    () => inObject('"x":1e400,"y":"\\ud800","z":-0.0'),
    () => inObject(`"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    () => inObject(`"x":${'{"a":'.repeat(400)}1${'}'.repeat(400)}`),
    () => Buffer.from(JSON.stringify({ [key]: dice.pick([null, 7, 'text', {}, [], [[]], [null]]) })),
    () => Buffer.from(dice.pick(['', 'null', '[]', '{}', '"x"', '{"messages":[', '\0'])),
  ];
  return dice.chance(0.25) ? dice.pick(kinds)() : body;
}

function headersBy(dice: Dice): readonly string[] {
  const others = [
    'x-api-key: sk-ant-key',
    'authorization: Bearer sk-proj-key',
    'authorization: Bearer sk-ant-oat01-key',
    'content-type: text/plain',
    'content-encoding: zstd',
    'accept-encoding: gzip, br',
    'x-session-id: s',
    'x-claude-code-session-id: caf\xe9',
    'anthropic-beta: context-1m-2025-08-07',
    'te: trailers',
    'connection: x-mine',
    'x-mine: 1',
    'cookie: a=b; c=d',
    `x-long: ${'x'.repeat(20_000)}`,
    '__proto__: x',
    'constructor: x',
  ];
  return others.filter((header) => dice.chance(header.startsWith('content-encoding') ? 0.03 : 0.15));
}
