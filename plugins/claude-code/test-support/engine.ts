import type { ApiMessage, CompactInput, CompactResult, Engine, SessionRow } from '../src/host.js';
import { withHandles } from './session.js';

/** What Claude Code keeps of a session, beside the environment of the mod. */
export interface Disk {
  readonly files: Map<string, string>;
  readonly store: Map<string, unknown>;
  readonly env: Map<string, string>;
}

let sessions = 0;

export const newDisk = (): Disk => ({ files: new Map(), store: new Map(), env: new Map() });

/** The engine as far as the mod sees it: rows get new handles at each call, and what it does is kept in lists. */
export class TestEngine {
  readonly disk: Disk;
  readonly logged: string[] = [];
  readonly registered: string[] = [];
  rows: readonly SessionRow[] = [];
  tokens = 0;
  window = 1_000_000;
  api: readonly ApiMessage[] = [];
  isAutoCompactOn = true;
  settings: Readonly<Record<string, unknown>> = {};
  /** Compactions that were handed on to the engine. */
  handedOn = 0;

  /** Each engine has a session of its own. */
  readonly sessionId = `session-${++sessions}`;

  constructor(disk = newDisk()) {
    this.disk = disk;
    disk.files.set(this.#transcript, '');
  }

  get #transcript(): string {
    return `/home/.claude/projects/shop/${this.sessionId}.jsonl`;
  }

  /** A compaction of the rows, as the engine asks for it, and what becomes of them. */
  async compact(
    compact: (
      $: Engine,
      event: CompactInput,
      next: (event: CompactInput) => Promise<CompactResult>,
    ) => Promise<CompactResult>,
    event: Partial<CompactInput> = {},
  ): Promise<CompactResult> {
    const messages = withHandles(this.rows, `${Math.random()}`);
    const next = async (): Promise<CompactResult> => {
      this.handedOn++;
      return { skip: 'the engine' };
    };
    const result = await compact(this.$, { trigger: 'auto', messages, ...event }, next);
    if (result.messages !== undefined) this.rows = result.messages.map(({ handle: _handle, ...row }) => row);
    return result;
  }

  readonly $: Engine = {
    plugin: { name: 'palimpsest', root: '/plugin' },
    ui: { log: (text) => void this.logged.push(text), invalidate: () => undefined },
    session: {
      id: async () => this.sessionId,
      model: async () => 'claude-opus-5-5',
      version: async () => ({ version: '2.1.332' }),
      info: async () => ({ transcriptPath: this.#transcript }),
      usage: async () => ({ context: { tokens: this.tokens, window: this.window } }),
      surfaces: async () => ['terminal'],
      messages: (async (args?: object) => (args === undefined ? this.rows : this.api)) as Engine['session']['messages'],
    },
    tool: { register: async ({ name }) => void this.registered.push(name) },
    command: {
      run: async () => ({}),
      register: async ({ name }) => void this.registered.push(`/${name}`),
    },
    config: { list: async () => [{ key: 'autoCompact', value: this.isAutoCompactOn }] },
    settings: { read: async () => this.settings },
    env: {
      get: async (name) => this.disk.env.get(name),
      set: async (name, value) =>
        void (value === undefined ? this.disk.env.delete(name) : this.disk.env.set(name, value)),
    },
    fs: {
      read: async (path) => this.disk.files.get(path) ?? '',
      write: async (path, text) => void this.disk.files.set(path, text),
      exists: async (path) => this.disk.files.has(path),
    },
    store: {
      get: async (key) => this.disk.store.get(key),
      set: async (key, value) => void this.disk.store.set(key, JSON.parse(JSON.stringify(value))),
      delete: async (key) => void this.disk.store.delete(key),
      keys: async () => [...this.disk.store.keys()],
    },
    clock: { now: async () => 0, after: (_ms, run) => run() },
  };
}
