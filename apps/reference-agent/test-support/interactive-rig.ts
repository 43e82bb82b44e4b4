import type { ProviderServer } from '@palimpsest/provider-servers';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { InteractiveSession } from '../src/session/interactive-session.js';
import type { SessionEvent, SessionState, WorkPhase } from '../src/session/session-events.js';
import type { RunFlags } from '../src/context.js';
import type { ListedSession } from '../src/session/session.js';
import { chatServer } from './chat-server.js';
import type { ChatServerOptions } from './chat-server.js';
import { headlessRig } from './headless-rig.js';
import type { HeadlessRig } from './headless-rig.js';

/** An interactive session, and all that it told. */
export interface TalkedTo {
  readonly session: InteractiveSession;
  readonly told: readonly SessionEvent[];
  /** Resolves to the first event of which this is true, told before or later; `from` skips what was told before. */
  until(is: (event: SessionEvent) => boolean, from?: number): Promise<SessionEvent>;
  /** Resolves when the session is in this state: now or later. */
  state<Type extends SessionState['type']>(type: Type): Promise<Extract<SessionState, { readonly type: Type }>>;
  /** Resolves when the agent is in this phase of its work: now or later, but not before the event `from`. */
  phase(phase: WorkPhase, from?: number): Promise<unknown>;
  /** Resolves when nothing is under way and nothing more is about to begin. */
  rest(): Promise<void>;
  /** Sends a message, and resolves when the agent rests. */
  said(text: string): Promise<void>;
  /** The notices so far. */
  readonly notices: readonly string[];
}

/** A workspace, a model that is a server, and sessions that work there. */
export interface InteractiveRig extends HeadlessRig {
  readonly server: ProviderServer;
  /** Opens a session; it is closed at the end of the test. `env`: in addition to that of the rig. */
  open(
    flags?: { readonly [Name in keyof RunFlags]?: RunFlags[Name] | undefined },
    session?: ListedSession,
    env?: Readonly<Record<string, string>>,
  ): Promise<TalkedTo>;
}

/** Makes a workspace with these files, and a server of Chat Completions. */
export async function interactiveRig(
  options: ChatServerOptions,
  files: Readonly<Record<string, string>> = {},
): Promise<InteractiveRig> {
  const server = await chatServer(options);
  const rig = await headlessRig(files, { model: 'local', baseUrl: server.baseURL });
  return {
    ...rig,
    server,
    async open(flags, found, env) {
      const session = new InteractiveSession({
        session: found,
        flags: { outputFormat: 'text', model: 'local', baseUrl: server.baseURL, ...flags },
        surroundings: {
          env: { ...rig.env, ...env },
          cwd: rig.workspace,
          stdin: Readable.from([]),
          stdout: { write: () => undefined },
          stderr: { write: () => undefined },
          interrupts: { signal: new AbortController().signal, exitStatus: 130 },
        },
      });
      const talked = talkedTo(session);
      onTestFinished(() => session.close());
      await session.start();
      return talked;
    },
  };
}

/** Returns the text of a session that a user reads: the words of both sides, and the results of calls. */
export function transcriptOf({ told }: Pick<TalkedTo, 'told'>): readonly string[] {
  const all = told.flatMap((event) => (event.type === 'logged' ? event.told : []));
  return all.flatMap((each) => {
    if (each.type === 'message') return each.from === 'framework' ? [] : [`${each.from}: ${each.text}`];
    return each.type === 'tool-result' ? [`${each.name}: ${each.status}`] : [];
  });
}

function talkedTo(session: InteractiveSession): TalkedTo {
  const told: SessionEvent[] = [];
  const waiting = new Set<() => void>();
  session.observe((event) => {
    told.push(event);
    for (const look of waiting) look();
  });
  const eventually = <Found>(find: () => Found | undefined): Promise<Found> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const rest = async (): Promise<void> => {
    const { type } = session.state;
    // An answer that was given in this moment changes the state later.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    if (type === session.state.type && ['idle', 'unusable', 'closed'].includes(type)) return;
    await eventually(() => (['idle', 'unusable', 'closed'].includes(session.state.type) ? true : undefined));
    return rest();
  };
  return {
    session,
    told,
    rest,
    async said(text) {
      session.send(text);
      await rest();
    },
    phase: (phase, from = 0) =>
      eventually(() =>
        told
          .slice(from)
          .find((event) => event.type === 'state' && event.state.type === 'working' && event.state.phase === phase),
      ),
    until: (is, from = 0) => eventually(() => told.slice(from).find(is)),
    state: <Type extends SessionState['type']>(type: Type) =>
      eventually(() => {
        const { state } = session;
        return state.type === type ? (state as Extract<SessionState, { readonly type: Type }>) : undefined;
      }),
    get notices() {
      return told.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    },
  };
}
