import { messageOf } from '../../harness-error.js';
import type { ReplayedSession } from '../../replay/replayed-session.js';
import type { PricedSizes } from '../../replay/replay-text.js';
import type { SessionTimeline } from '../../replay/timeline.js';
import type { PricedAs } from '../page-data.js';
import { pricedAs, sessionPrices } from '../priced-as.js';
import type { FoundSession, Reply, Request, SourceFile } from './protocol.js';
import { StoppedError } from './thread.js';
import type { Thread } from './thread.js';

/** The largest file that is read: a replay takes several times its size in memory. Unit: bytes. */
export const largestFile = 100_000_000;

/** A text that a person gave. */
export interface GivenFile {
  /** Its own in the page. */
  readonly id: number;
  readonly name: string;
  /** Unit: bytes. */
  readonly size: number;
  /** Unit: milliseconds since 1970. */
  readonly modifiedAt?: number;
  /** Returns the text. The sample is unpacked for it. */
  readonly open: () => Promise<Blob>;
}

/** A session of the list and what has become of it. */
export interface ListedSession extends FoundSession {
  readonly file: GivenFile;
  state: 'waiting' | 'replaying' | 'replayed' | 'failed' | 'without calls';
  /** Present if it was replayed. */
  replayed?: ReplayedSession;
  /** Why it failed. */
  problem?: string;
}

/** What a person gave, and how far its replay is. */
export interface SessionRun {
  /** Newest first. */
  readonly sessions: readonly ListedSession[];
  /** Files without a session, and why. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  /** The model of the prices of sessions without one of their own. */
  readonly priced: PricedAs;
  /** What is done now, for a person. Empty if nothing is. */
  readonly doing: string;
}

/** Replays what a person gives, one session at a time. */
export interface SessionRunner {
  readonly run: SessionRun;
  /** Takes new texts in the place of the ones before: lists their sessions, then replays them. */
  take(files: readonly GivenFile[]): Promise<void>;
  /** Goes on with the sessions that wait. */
  resume(): Promise<void>;
  stop(): void;
  /** Shows what was replayed before, in the place of what there is. */
  show(run: SessionRun): void;
  /** Replays a session before those that wait. Resolves to `undefined` if it is stopped, or another wish takes its place. */
  wish(session: ListedSession, sizes: PricedSizes | undefined): Promise<Wished | undefined>;
}

/** One session replayed with `none` and `priced` of some sizes, or with all policies and its timeline. */
export interface Wished {
  readonly replayed: ReplayedSession;
  readonly timeline?: SessionTimeline | undefined;
}

/** @param onChange - called after each change of the run */
export function sessionRunner(thread: Thread, first: SessionRun, onChange: () => void): SessionRunner {
  let run = first;
  let isWorking = false;
  /** How often something was taken. */
  let taken = 0;
  let wanted: { readonly replay: () => Promise<void>; readonly drop: () => void } | undefined;

  const change = (changes: Partial<SessionRun>): void => {
    run = { ...run, ...changes };
    onChange();
  };

  const replay = async (session: ListedSession, more: Partial<Request>): Promise<Wished | undefined> => {
    let result: Wished | undefined;
    const { index } = session;
    const file = await opened(session.file);
    const priced = sessionPrices(session.models, run.priced, new Date());
    const request = { type: 'replay', file, index, priced, withTimeline: false, ...more } as Request;
    await thread.ask(request, (reply) => {
      if (reply.type === 'policy')
        change({
          doing: `Replaying ${session.name}, ${run.sessions.indexOf(session) + 1} of ${run.sessions.length}, with ${reply.name}`,
        });
      if (reply.type === 'replayed') result = reply;
    });
    return result;
  };

  const replayNext = async (session: ListedSession): Promise<void> => {
    session.state = 'replaying';
    try {
      const result = await replay(session, {});
      if (result !== undefined) session.replayed = result.replayed;
      session.state = 'replayed';
    } catch (error) {
      session.state = error instanceof StoppedError ? 'waiting' : 'failed';
      if (error instanceof StoppedError) throw error;
      session.problem = messageOf(error);
    }
    onChange();
  };

  /** Works until nothing waits, or until it is stopped. */
  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    const turn = taken;
    try {
      for (;;) {
        const wish = wanted;
        const next = run.sessions.find(({ state }) => state === 'waiting');
        wanted = undefined;
        if (wish !== undefined) await wish.replay();
        else if (next !== undefined) await replayNext(next);
        else break;
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
    } finally {
      isWorking = false;
      if (turn === taken) change({ doing: '' });
    }
  };

  const stop = (): void => {
    wanted?.drop();
    wanted = undefined;
    thread.stop();
  };

  return {
    get run() {
      return run;
    },
    stop,
    resume: work,
    show: (other) => {
      stop();
      taken++;
      change(other);
    },
    take: async (files) => {
      stop();
      const turn = ++taken;
      const tooLarge = files.filter(({ size }) => size > largestFile);
      const readable = files.filter((file) => !tooLarge.includes(file));
      const read = new Set<number>();
      const skipped = tooLarge.map(({ name, size }) => ({ file: name, reason: tooLargeReason(size) }));
      change({
        sessions: [],
        skipped,
        doing: `Reading ${files.length === 1 ? files[0]?.name : `${files.length} files`}`,
      });
      try {
        await thread.ask({ type: 'list', files: await Promise.all(readable.map(opened)) }, (reply) => {
          if (reply.type !== 'listed') return;
          read.add(reply.file);
          change(withListed(run, reply, readable));
        });
      } catch (error) {
        if (turn !== taken) return;
        const reason = error instanceof StoppedError ? 'the reading was stopped' : messageOf(error);
        const unread = readable.filter((file) => !read.has(file.id)).map(({ name }) => ({ file: name, reason }));
        change({ skipped: [...run.skipped, ...unread], ...pricesOf(run.sessions), doing: '' });
        return;
      }
      change(pricesOf(run.sessions));
      await work();
    },
    wish: (session, sizes) =>
      new Promise((resolve) => {
        wanted?.drop();
        const policies = sizes === undefined ? undefined : ['none', sizes];
        const more: Partial<Request> = { withTimeline: sizes === undefined, ...(policies && { policies }) };
        wanted = {
          drop: () => resolve(undefined),
          replay: async () => {
            try {
              resolve(await replay(session, more));
            } catch (error) {
              resolve(undefined);
              throw error;
            }
          },
        };
        void work();
      }),
  };
}

async function opened({ id, name, open }: GivenFile): Promise<SourceFile> {
  return { id, name, blob: await open() };
}

function tooLargeReason(size: number): string {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  return (
    `it has ${megabytes(size)}; this page takes files of at most ${megabytes(largestFile)}, because a browser has little memory. ` +
    'The command reads larger ones: npx palimpsest-harness report.'
  );
}

/** Adds the sessions of a file, the newest first; those without a time keep their order behind the others. */
function withListed(
  { sessions, skipped }: SessionRun,
  { file: id, sessions: found, skipped: more }: Extract<Reply, { type: 'listed' }>,
  files: readonly GivenFile[],
): Partial<SessionRun> {
  const file = files.find((each) => each.id === id) as GivenFile;
  const added = found.map((session): ListedSession => {
    const state = session.modelCalls === 0 ? 'without calls' : 'waiting';
    return { ...session, at: session.at ?? file.modifiedAt, file, state };
  });
  const all = [...sessions, ...added].sort((one, other) => (other.at ?? -Infinity) - (one.at ?? -Infinity) || 0);
  return { sessions: all, skipped: [...skipped, ...more] };
}

function pricesOf(sessions: readonly FoundSession[]): Pick<SessionRun, 'priced'> {
  const calls = new Map<string, number>();
  for (const { models } of sessions)
    for (const [model, count] of models) calls.set(model, (calls.get(model) ?? 0) + count);
  return { priced: pricedAs(undefined, calls, new Date()) };
}
