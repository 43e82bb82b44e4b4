import { createRequire } from 'node:module';
import type { PiApi, PiContext } from './pi-api.js';
import type { PiSession, PiSessionModule } from './pi-session.js';

const statusKey = 'palimpsest';
/** The file beside this one that holds the rest. It is loaded when a session starts, by Node itself: pi would translate it first. */
const rest = './pi-session.js';

/**
 * The extension. An extension that fails to load ends pi, so this file only names commands and handlers, and nothing that they throw
 * reaches pi. It has no flags, because pi ends where two copies have the same.
 */
export default function palimpsest(pi: PiApi): void {
  let session: PiSession | undefined;
  const use = async <Result>(
    ctx: PiContext,
    work: (session: PiSession) => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      return session === undefined ? undefined : await work(session);
    } catch (error) {
      say(ctx, `failed: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const start = async (ctx: PiContext): Promise<void> => {
    try {
      if (!claimed(ctx, pi)) {
        say(ctx, 'is loaded twice: this copy does nothing');
        return;
      }
      const { startSession } = createRequire(import.meta.url)(rest) as PiSessionModule;
      session = await startSession(pi, ctx, await versionOfPi());
    } catch (error) {
      session = undefined;
      say(ctx, `not loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  try {
    register(pi, start, use);
  } catch {
    // A pi that lacks what is used here goes on without.
  }
}

type Use = <Result>(ctx: PiContext, work: (session: PiSession) => Promise<Result>) => Promise<Result | undefined>;

function register(pi: PiApi, start: (ctx: PiContext) => Promise<void>, use: Use): void {
  pi.on('session_start', (_event, ctx) => start(ctx));
  pi.on('session_shutdown', (_event, ctx) => release(ctx, pi));
  pi.on('context', (event, ctx) => use(ctx, (session) => session.fit(event['messages'], ctx)));
  pi.on('message_end', async (event, ctx) => {
    await use(ctx, (session) => session.used(event['message'], ctx));
  });
  pi.on('session_before_compact', (event, ctx) => use(ctx, (session) => session.compact(event, ctx)));
  pi.registerCommand('condense', {
    description: 'Condense the conversation now: /condense [what to keep]',
    handler: async (args, ctx) => void (await use(ctx, (session) => session.condense(args, ctx))),
  });
  pi.registerCommand('condensed', {
    description: 'Show what was condensed, why, and what it saved',
    handler: async (_args, ctx) => void (await use(ctx, (session) => session.show(ctx))),
  });
  pi.registerCommand('uncondense', {
    description: 'Take the newest condensation back, after its price',
    handler: async (_args, ctx) => void (await use(ctx, (session) => session.undo(ctx))),
  });
  pi.registerCommand('palimpsest', {
    description: 'Turn condensation on or off in this session: /palimpsest on|off',
    handler: async (args, ctx) => void (await use(ctx, (session) => session.turn(args, ctx))),
  });
}

/** The extensions by the sessions that they condense, of all copies in the process: two would condense what the other has condensed. */
function claims(): WeakMap<object, PiApi> {
  const shared = globalThis as { [key: symbol]: WeakMap<object, PiApi> | undefined };
  return (shared[Symbol.for('@palimpsest/pi')] ??= new WeakMap());
}

/** Returns true if no other copy condenses the session. */
function claimed({ sessionManager }: PiContext, pi: PiApi): boolean {
  const owner = claims().get(sessionManager) ?? pi;
  claims().set(sessionManager, owner);
  return owner === pi;
}

/** A session that is loaded anew has a new copy. */
function release(ctx: PiContext, pi: PiApi): void {
  try {
    if (claims().get(ctx.sessionManager) === pi) claims().delete(ctx.sessionManager);
  } catch {
    // The session is gone.
  }
}

function say(ctx: PiContext, text: string): void {
  try {
    ctx.ui.setStatus(statusKey, `palimpsest ${text}`);
  } catch {
    // There is nowhere left to say it.
  }
}

/** Returns the version of pi that runs. Undefined if it does not say. */
async function versionOfPi(): Promise<string | undefined> {
  try {
    // pi puts itself in the place of its name, which is in no folder of ours.
    const name: string = '@earendil-works/pi-coding-agent';
    const { VERSION } = (await import(name)) as { readonly VERSION?: string };
    return VERSION;
  } catch {
    return undefined;
  }
}
