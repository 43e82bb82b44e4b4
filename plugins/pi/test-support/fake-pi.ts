import type { PiApi, PiCommand, PiContext, PiHandler, PiModel, PiTool } from '../src/pi-api.js';

// The side of pi that an extension sees, as far as the plugin uses it.

export const opus: PiModel = {
  id: 'claude-opus-5-5',
  provider: 'anthropic',
  contextWindow: 1_000_000,
  cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  promptCache: { short: 300, long: 3_600 },
};

export interface FakePi extends PiApi {
  readonly commands: Map<string, PiCommand>;
  readonly tools: PiTool[];
  /** Sends an event to its handlers, and returns what the last of them answers. */
  emit(event: string, fields: object, ctx: PiContext): Promise<unknown>;
}

export function fakePi(settings: object = {}): FakePi {
  const handlers = new Map<string, PiHandler[]>();
  const commands = new Map<string, PiCommand>();
  const tools: PiTool[] = [];
  return {
    commands,
    tools,
    on: (event, handler) => handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    registerCommand: (name, command) => commands.set(name, command),
    registerTool: (tool) => void tools.push(tool),
    getAllTools: () => [{ name: 'read', description: 'Reads a file.', parameters: { type: 'object' } }, ...tools],
    getActiveTools: () => ['read', ...tools.map(({ name }) => name)],
    getSettings: () => settings,
    emit: async (event, fields, ctx) => {
      let answer: unknown;
      for (const handler of handlers.get(event) ?? []) answer = await handler({ type: event, ...fields }, ctx);
      return answer;
    },
  };
}

export interface FakeContext extends PiContext {
  readonly notices: string[];
  status: string | undefined;
  /** The titles and texts of questions. They are answered by `isConfirmed`. */
  readonly questions: string[];
  isConfirmed: boolean;
  branch: readonly unknown[];
}

/** A session. Its messages are those of its branch. */
export function fakeContext(session: {
  readonly id: string;
  readonly file?: string;
  readonly parent?: string;
}): FakeContext {
  const context: FakeContext = {
    notices: [],
    status: undefined,
    questions: [],
    isConfirmed: true,
    branch: [],
    mode: 'tui',
    hasUI: true,
    model: opus,
    ui: {
      notify: (message) => void context.notices.push(message),
      confirm: async (title, message) => {
        context.questions.push(`${title} ${message}`);
        return context.isConfirmed;
      },
      setStatus: (_key, text) => {
        context.status = text;
      },
    },
    sessionManager: {
      getSessionId: () => session.id,
      getSessionFile: () => session.file,
      getHeader: () => (session.parent === undefined ? {} : { parentSession: session.parent }),
      getBranch: () => context.branch,
      buildSessionProjection: () => ({
        messages: context.branch.map((entry) => (entry as { readonly message: unknown }).message),
      }),
    },
    getSystemPrompt: () => 'You are a coding assistant.',
  };
  return context;
}

/** Messages as entries of a session, behind pi's instructions. */
export function entriesOf(messages: readonly object[]): readonly { readonly id: string; readonly message: object }[] {
  const system = { role: 'system', content: '', sections: {}, timestamp: 0 };
  return [system, ...messages].map((message, index) => ({
    type: 'message',
    id: `entry-${index}`,
    parentId: index === 0 ? null : `entry-${index - 1}`,
    timestamp: '2026-11-27T10:00:00.000Z',
    message,
  }));
}
