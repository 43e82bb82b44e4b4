import { scriptedServer } from '@palimpsest/provider-servers';
import type { ScriptedAnswer } from '@palimpsest/provider-servers';
import type { Upstream } from '../src/core/upstream-request.js';
import { upstreamOf } from './coding-session.js';
import { withMark } from './marked.js';

/** The behaviour of a model that needs what it has read before. */
export type Needs =
  | 'nothing'
  /** It makes the same call again if what it needs does not stand in its prompt. */
  | 'same-calls'
  /** It looks again by other calls: a part of the file, a search, numbered lines, together with its next step. */
  | 'other-calls';

/** Options of {@link scriptedSession}. */
export interface SessionOptions {
  readonly api: 'anthropic' | 'openai';
  readonly model: string;
  readonly needs: Needs;
  readonly steps: number;
  /** Passes with each request: some seconds, and at every fifteenth a pause in which the provider's cache dies. */
  readonly clock: { now: Date };
  /** Puts a gateway before the server. @defaultValue the agent asks the server itself */
  readonly through?: ((upstream: Upstream) => (request: Request) => Promise<Response>) | undefined;
}

/** The result of a session. */
export interface Session {
  /** The usage of each answer, as the provider wrote it. */
  readonly usages: readonly unknown[];
  /** The number of times that the model looked again. */
  readonly looks: number;
  readonly refused: number;
}

/** Runs an agent with a scripted model from its first request to its last. */
export async function scriptedSession({ api, model, needs, steps, clock, through }: SessionOptions): Promise<Session> {
  const script = scriptOf(needs, steps);
  const server = await scriptedServer(api, (body) => script.answer(JSON.stringify(body['messages'])), {
    now: () => clock.now,
  });
  const send =
    through?.(upstreamOf(server.url)) ??
    ((request: Request) => fetch(request.url.replace(origin, server.url), request));
  const wire = wires[api];
  const messages: object[] = [{ role: 'user', content: 'Find why invoices of the shop are rounded twice.' }];
  const usages: unknown[] = [];
  let refused = 0;
  try {
    for (;;) {
      // The pauses fall on steps of the script, so that two runs have them at the same places.
      clock.now = new Date(clock.now.getTime() + (script.isAtPause() ? pauseMs : 5_000));
      const answer = await send(
        new Request(`${origin}${wire.path}`, {
          method: 'POST',
          headers: wire.headers,
          body: JSON.stringify(wire.body(model, messages)),
        }),
      );
      const read = (await answer.json()) as Answer;
      if (answer.status !== 200) refused++;
      if (answer.status !== 200) break;
      usages.push(read.usage);
      const { message, calls } = wire.read(read);
      if (calls.length === 0) break;
      messages.push(
        message,
        ...wire.results(calls.map((call) => ({ ...call, text: resultOf(call.name, call.input) }))),
      );
    }
  } finally {
    await server.close();
  }
  return { usages, looks: script.looks, refused };
}

const pauseMs = 40 * 60_000;

const origin = 'http://localhost';

interface Answer {
  readonly usage: unknown;
  readonly content: readonly { type: string; id: string; name: string; input: Input }[];
  readonly choices: readonly {
    message: { tool_calls?: { id: string; function: { name: string; arguments: string } }[] };
  }[];
}

interface Input {
  readonly file: number;
  readonly from?: number;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Input;
}

interface Result extends Call {
  readonly text: string;
}

const instructions = `You work on a shop. ${'You read before you write, and you say what you have seen. '.repeat(400)}`;
const names = ['read', 'numbered', 'search'];
const schema = { type: 'object', properties: { file: { type: 'number' }, from: { type: 'number' } } };

const wires = {
  anthropic: {
    path: '/v1/messages',
    headers: { 'x-api-key': 'a-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: (model: string, messages: readonly object[]) => ({
      model,
      max_tokens: 1_000,
      system: instructions,
      tools: names.map((name) => ({ name, input_schema: schema })),
      messages: messages.map((message, index) => (index === messages.length - 1 ? withMark(message) : message)),
    }),
    read: ({ content }: Answer) => ({
      message: { role: 'assistant', content },
      calls: content.flatMap(({ type, ...call }): Call[] => (type === 'tool_use' ? [call] : [])),
    }),
    results: (results: readonly Result[]) => [
      {
        role: 'user',
        content: results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
      },
    ],
  },
  openai: {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
    body: (model: string, messages: readonly object[]) => ({
      model,
      tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
      messages: [{ role: 'system', content: instructions }, ...messages],
    }),
    read: ({ choices }: Answer) => {
      const message = choices[0]?.message ?? {};
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }): Call => ({
        id,
        name,
        input: JSON.parse(input) as Input,
      }));
      return { message, calls };
    },
    results: (results: readonly Result[]) =>
      results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
  },
};

/** The lines of a file. Each says something of its own, and the key stands in the middle. */
function linesOf(file: number): readonly string[] {
  return Array.from({ length: 60 + ((file * 37) % 90) }, (_, line) =>
    line === 30
      ? `  the rate of part ${file} is taken from ${keyOf(file)} and from nowhere else`
      : `  const total${line} = round(part${file}, row${(line * 7919 + file * 104_729) % 10_007}); // step ${line}`,
  );
}

function keyOf(file: number): string {
  return `rate-${((file + 1) * 48_271) % 99_991}`;
}

function resultOf(name: string, { file, from = 0 }: Input): string {
  const lines = linesOf(file);
  if (name === 'read') return lines.join('\n');
  const shown = lines.slice(from, from + 25);
  return shown
    .map((line, index) =>
      name === 'search' ? `src/part${file}.ts:${from + index + 1}:${line}` : `${from + index + 1}\t${line}`,
    )
    .join('\n');
}

/** The steps of a model. What it writes follows from the step alone, so that two runs write the same. */
function scriptOf(needs: Needs, steps: number) {
  let [step, looks, calls, paused] = [0, 0, 0, 0];
  let lookedFor = -1;
  const call = (name: string, input: Input): Call => ({ id: `call_${calls++}`, name, input });
  const again = (file: number): Call => {
    if (needs === 'same-calls') return call('read', { file });
    return call(looks % 2 === 0 ? 'numbered' : 'search', { file, from: 30 - (looks % 20) });
  };
  return {
    get looks() {
      return looks;
    },
    isAtPause: () => {
      const isAt = step % 15 === 14 && paused !== step;
      if (isAt) paused = step;
      return isAt;
    },
    answer: (prompt: string): ScriptedAnswer => {
      // From the tenth step on, every third needs a file that was read before.
      const needed = step >= 10 && step % 3 === 0 ? (step * 5) % (step - 5) : undefined;
      const isLost = needs !== 'nothing' && needed !== undefined && !prompt.includes(keyOf(needed));
      const words = `Step ${step} shows one more caller that rounds. ${'It is not the one. '.repeat(step % 5)}`;
      const next = (): Call => call('read', { file: step });
      if (isLost && lookedFor !== step) {
        lookedFor = step;
        looks++;
        const look = again(needed);
        // One that varies its calls sometimes goes on in the same answer.
        if (needs === 'same-calls' || looks % 3 !== 0) return { text: 'I need this again.', calls: [look] };
        const both = { text: words, calls: [look, next()] };
        step++;
        return both;
      }
      if (step === steps) return { text: `Part ${step} rounds.` };
      const answer = { text: words, calls: [next()] };
      step++;
      return answer;
    },
  };
}
