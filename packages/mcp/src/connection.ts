import { setTimeout as delay } from 'node:timers/promises';
import { Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { CallToolResult, ClientOptions } from '@modelcontextprotocol/client';
import { McpServerError } from './errors.js';
import { listedTools } from './tool-list.js';
import type { ListedTool } from './tool-list.js';
import { plainLine, plainText } from './plain-text.js';
import { timeLimits } from './config/server-config.js';
import type { McpServerConfig, TimeLimits } from './config/server-config.js';
import { HttpTransport } from './transport/http.js';
import { mostMessageBytes, tooLongCode } from './transport/gate.js';
import type { ServerTransport } from './transport/gate.js';
import { StdioTransport } from './transport/stdio.js';

/** In what surroundings servers that are programs run. */
export interface ServerSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An open connection. */
interface OpenConnection {
  readonly client: Client;
  readonly transport: ServerTransport;
}

/** A schema of the server would be run as a program, and its patterns without a limit of time. */
const anyOutput: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The pause before a server that ended is started again. Unit: milliseconds. */
const restartAfterMs = 500;
/** The most checks for changed tools. */
const mostChecks = 20;
/** The most tools that a note names. */
const mostNamed = 5;
/** A page of tools has at least one, and nobody offers more of them. */
const mostPages = 500;

/** One server: connected, connected again if it ended, and closed. */
export class ServerConnection {
  readonly name: string;
  /** The tools that it had when it was connected first. */
  tools: readonly ListedTool[] = [];
  instructions: string | undefined;

  readonly #config: McpServerConfig;
  readonly #surroundings: ServerSurroundings;
  readonly #limits: TimeLimits;
  readonly #note: (note: string) => void;
  readonly #life = new AbortController();
  #transport: ServerTransport | undefined;
  #connection: Promise<OpenConnection> | undefined;
  #problem: string | undefined;
  #mayRestart = true;
  #isChangeReported = false;
  #checks = 0;

  /** @param note - called with what the user should know, as the end of a sentence that begins with the server */
  constructor(name: string, config: McpServerConfig, surroundings: ServerSurroundings, note: (note: string) => void) {
    this.name = name;
    this.#config = config;
    this.#surroundings = surroundings;
    this.#limits = timeLimits(config);
    this.#note = note;
  }

  /** The reason why no call would be carried out now, as the end of a sentence that begins with the server. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The end of the server's log. */
  get log(): string {
    return this.#transport?.log.toString() ?? '';
  }

  /** @throws {@link McpServerError} when it is not connected in time. */
  async open(signal?: AbortSignal): Promise<void> {
    const stop = (): void => this.#life.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      this.#connection = this.#connected();
      await this.#connection;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** @throws {@link McpServerError} when the call was not carried out; the reason of `signal` when it is aborted. */
  async call(tool: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<CallToolResult> {
    for (let isAgain = false; ; isAgain = true) {
      const connection = await this.#open(signal);
      try {
        const result = await connection.client.callTool(
          { name: tool, arguments: { ...input } },
          {
            ...(signal === undefined ? {} : { signal }),
            timeout: this.#limits.idleMs,
            // Asks the server for progress, which is a sign of life.
            onprogress: () => undefined,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: this.#limits.callMs,
          },
        );
        this.#mayRestart = true;
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        // The server has forgotten the session, so it did not carry out the call. What other requests were answered says nothing.
        const isForgotten = error instanceof SdkHttpError && error.status === 404;
        if (isForgotten) await this.#drop(connection, 'has ended the session.');
        if (!isForgotten || isAgain)
          throw new McpServerError(this.name, this.#callProblem(error, tool, connection), { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    this.#life.abort(new Error('closed'));
    this.#problem ??= 'was closed.';
    await this.#transport?.close().catch(() => undefined);
    await this.#connection?.catch(() => undefined);
  }

  async #open(signal?: AbortSignal): Promise<OpenConnection> {
    if (this.#problem !== undefined) {
      if (!this.#mayRestart || this.#life.signal.aborted) throw this.#error(this.#problem);
      this.#mayRestart = false;
      this.#problem = undefined;
      this.#connection = this.#restarted();
    }
    if (this.#connection === undefined) throw this.#error('was not connected.');
    return signal === undefined ? this.#connection : await unlessAborted(this.#connection, signal);
  }

  async #restarted(): Promise<OpenConnection> {
    const before = JSON.stringify(this.tools);
    const { tools } = this;
    await delay(restartAfterMs, undefined, { signal: this.#life.signal }).catch(() => undefined);
    const connection = await this.#connected();
    this.#note('had ended and was started again.');
    if (JSON.stringify(this.tools) !== before) this.#reportChange();
    // What the model was told stays: another list would also undo the prompt cache.
    this.tools = tools;
    return connection;
  }

  async #connected(): Promise<OpenConnection> {
    try {
      return await this.#connect(true);
    } catch (error) {
      const transport = this.#transport;
      // Some older servers end at a request that they do not know, such as the one by which newer ones are recognized.
      if (!(transport instanceof StdioTransport) || !this.#mayBeOlder(transport)) throw this.#failed(error);
      return await this.#connect(false).catch((again: unknown) => {
        throw this.#failed(again);
      });
    }
  }

  #mayBeOlder({ problem, isFlooded }: StdioTransport): boolean {
    // 126 and 127: there is no such program.
    return !isFlooded && !this.#life.signal.aborted && /^ended with status (?!12[67])/.test(problem ?? '');
  }

  async #connect(isNewer: boolean): Promise<OpenConnection> {
    // Closed while it waited to be started again.
    this.#life.signal.throwIfAborted();
    const { connectMs } = this.#limits;
    const transport = this.#newTransport();
    this.#transport = transport;
    const client = this.#newClient(isNewer);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new TimeoutError()), connectMs);
    const signal = AbortSignal.any([this.#life.signal, stop.signal]);
    try {
      return await unlessAborted(this.#listed({ client, transport }, signal), signal);
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #listed({ client, transport }: OpenConnection, signal: AbortSignal): Promise<OpenConnection> {
    const options = { signal, timeout: this.#limits.connectMs };
    await client.connect(transport, options);
    const { tools } =
      client.getServerCapabilities()?.tools === undefined ? { tools: [] } : await client.listTools(undefined, options);
    transport.gate.listed();
    const list = listedTools(this.name, tools, this.#config.tools);
    list.notes.forEach(this.#note);
    const { refusedTools } = transport.gate;
    if (refusedTools.length > 0)
      this.#note(`describes tools that are not valid: ${namesOf(refusedTools)}. They are left out.`);
    this.tools = list.tools;
    this.instructions = plainText(client.getInstructions() ?? '', 2_000) || undefined;
    const connection = { client, transport };
    client.onclose = () => this.#ended(connection);
    if (transport.problem !== undefined) throw new Error(transport.problem);
    return connection;
  }

  #newTransport(): ServerTransport {
    const config = this.#config;
    if ('url' in config) return new HttpTransport(new URL(config.url), config.headers ?? {});
    const { command, args = [], env, cwd = this.#surroundings.cwd } = config;
    return new StdioTransport([command, ...args], { cwd, env: { ...this.#surroundings.env, ...env } });
  }

  /** A program that does not answer the probe is an older server. An address that does not is none at all. */
  get #probeMs(): number {
    const { connectMs } = this.#limits;
    return 'url' in this.#config ? connectMs + 1_000 : Math.ceil(connectMs / 2);
  }

  #newClient(isNewer: boolean): Client {
    const client: Client = new Client(
      { name: 'palimpsest', version: '1' },
      {
        versionNegotiation: isNewer ? { mode: 'auto', probe: { timeoutMs: this.#probeMs } } : { mode: 'legacy' },
        // A server asks the user nothing, and no model.
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, onChanged: () => void this.#checkTools(client) } },
        listMaxPages: mostPages,
        jsonSchemaValidator: anyOutput,
      },
    );
    return client;
  }

  /** Some servers say at each start that their tools have changed, and have the same. */
  async #checkTools(client: Client): Promise<void> {
    if (this.#isChangeReported || this.#checks >= mostChecks) return;
    this.#checks++;
    await this.#connection?.catch(() => undefined);
    const signal = this.#life.signal;
    const options = { signal, timeout: this.#limits.connectMs, cacheMode: 'refresh' } as const;
    const now = await client.listTools(undefined, options).catch(() => undefined);
    if (now === undefined || signal.aborted) return;
    const { tools } = listedTools(this.name, now.tools, this.#config.tools);
    if (JSON.stringify(tools) !== JSON.stringify(this.tools)) this.#reportChange();
  }

  #reportChange(): void {
    if (this.#isChangeReported) return;
    this.#isChangeReported = true;
    this.#note('has changed its tools; the change counts from the next session on.');
  }

  #ended(connection: OpenConnection): void {
    if (this.#transport !== connection.transport || this.#life.signal.aborted) return;
    this.#problem = connection.transport.problem ?? 'has ended.';
    if (connection.transport.isFlooded) this.#mayRestart = false;
    this.#note(this.#problem);
  }

  async #drop({ transport }: OpenConnection, problem: string): Promise<void> {
    if (this.#transport !== transport) return;
    this.#problem = problem;
    this.#mayRestart = true;
    await transport.close().catch(() => undefined);
  }

  #failed(error: unknown): McpServerError {
    const problem = this.#connectProblem(error);
    const lastWords = this.#transport?.isFlooded === true ? '' : (this.#transport?.log.lastWords ?? '');
    const isSaid = lastWords === '' || problem.startsWith('did not start');
    this.#problem = isSaid ? problem : `${problem} Its log ends: ${lastWords}`;
    return this.#error(this.#problem, error);
  }

  #connectProblem(error: unknown): string {
    const transport = this.#transport;
    if (error instanceof TimeoutError) return `did not answer within ${this.#limits.connectMs / 1000} s.`;
    if (transport?.problem?.startsWith('ended with status 127') === true && 'command' in this.#config) {
      return `did not start: there is no program '${plainLine(this.#config.command)}'.`;
    }
    if (transport?.problem !== undefined && transport.problem !== 'was closed.') return transport.problem;
    const status = transport instanceof HttpTransport ? transport.lastStatus : undefined;
    if (status === 401 || status === 403)
      return `wants a login (HTTP ${status}): give it a header, such as Authorization.`;
    return `was not connected: ${plainLine(rootOf(error))}`;
  }

  #callProblem(error: unknown, tool: string, { transport }: OpenConnection): string {
    const name = plainLine(tool, 64);
    if (transport.problem !== undefined) {
      return `${transport.problem} The call of '${name}' has no answer. Check what it did before you repeat it.`;
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      const { idleMs, callMs } = this.#limits;
      return `did not answer the call of '${name}' (at most ${idleMs / 1000} s without a sign of life, ${callMs / 1000} s in all), and was told to stop. Check what it did before you repeat it.`;
    }
    if (error instanceof ProtocolError && Number(error.code) === tooLongCode) {
      return `answered the call of '${name}' with more than ${mostMessageBytes / 2 ** 20} MiB, which is not read. Ask for a part of it. Check what it did before you repeat it.`;
    }
    const refused = error instanceof ProtocolError ? 'refused' : 'could not carry out';
    return `${refused} the call of '${name}': ${messageOf(error)}`;
  }

  #error(problem: string, cause?: unknown): McpServerError {
    return new McpServerError(this.name, problem, { cause });
  }
}

class TimeoutError extends Error {}

/** Returns the first names of a list, and how many more there are. */
function namesOf(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const shown = names.slice(0, mostNamed).map((name) => `'${plainLine(name, 64)}'`);
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Returns the message of an error, and that of what is behind it: `fetch failed` alone helps nobody. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  const [first, last] = [messageOf(error), messageOf(root)];
  return first.includes(last) ? first : `${first}: ${last}`;
}

function messageOf(error: unknown): string {
  return plainText(error instanceof Error ? error.message : String(error), 2_000);
}

/** Waits no longer than a signal allows; what is waited for goes on. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
