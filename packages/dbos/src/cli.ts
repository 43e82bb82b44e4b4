#!/usr/bin/env node
import process from 'node:process';
import { setTimeout as elapsed } from 'node:timers/promises';
import { ConversationBusyError } from '@palimpsest/events';
import { migrate, postgresConversations } from '@palimpsest/postgres';
import type { ConversationFilter, PostgresConversations } from '@palimpsest/postgres';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { answerMs, within } from './answers.js';
import { dbosRunner } from './dbos-runner.js';
import type { DbosRunner } from './options.js';

interface Flags {
  readonly url?: string;
  readonly name?: string;
  readonly schema?: string;
  readonly json?: true;
}

/** The service that a command works on. */
interface Service {
  readonly runner: DbosRunner;
  /** The tables of the queue are there. */
  readonly hasQueue: boolean;
  readonly conversations: PostgresConversations;
  readonly pool: pg.Pool;
}

/** The longest time of a statement: a rebuild reads large logs. */
const statementMs = 60_000;
/** The time for which `erase` waits for a run to end that it has cancelled. */
const eraseWaitMs = 30_000;

const program = new Command('palimpsest-dbos')
  .description('Looks after a service: its requests, its dead letters and its stored conversations.')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'palimpsest-dbos:')) })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

add('migrate', 'makes the tables, or brings them up to date').action(async (flags: Flags) => {
  await onService(flags, async ({ runner, pool }) => {
    await migrate(pool, flags);
    await runner.counts();
  });
});

add('counts', 'counts the requests and the dead letters').action(async (flags: Flags) => {
  await onQueue(flags, async ({ runner }) => {
    const { takeovers: _, ...counts } = await runner.counts();
    print(flags, counts);
  });
});

add('dead-letters', 'lists the conversations that are not run any more, and why').action(async (flags: Flags) => {
  await onQueue(flags, async ({ runner }) => {
    for (const letter of await runner.deadLetters()) print(flags, letter);
  });
});

addForEach('resume', 'runs dead letters again, as if nothing had happened', async (id, service) =>
  (await queueOf(service).resume(id)) ? 'resumed' : 'no dead letter',
);

addForEach('cancel', 'cancels what waits and what runs of conversations', async (id, service) =>
  (await queueOf(service).cancel(id)) > 0 ? 'cancelled' : 'no request',
);

addForEach(
  'erase',
  'deletes conversations with their messages and requests, after it has cancelled their runs',
  async (id, { runner, conversations, hasQueue }) => {
    // Its messages may have it run again.
    const isErased = await onceFree(async () => {
      if (hasQueue) await runner.cancel(id);
      return conversations.erase(id);
    });
    if (hasQueue) await runner.forget(id);
    return isErased ? 'erased' : 'not stored';
  },
);

add('list', 'lists the stored conversations, the newest first')
  .option('--status <status>', 'of this status in the log: error, stuck, running …')
  .option('--tenant <tenant>', "one tenant's")
  .option('--waiting', "with actions that wait for a person's yes")
  .option('--limit <count>', 'at most so many', count, 100)
  .action(async (flags: Flags & Filter & { readonly limit: number }) => {
    await onService(flags, async ({ conversations }) => {
      let left = flags.limit;
      for (let after: string | undefined; left > 0;) {
        const page = await conversations.list(filterOf(flags), {
          limit: Math.min(left, 1_000),
          ...(after && { after }),
        });
        for (const conversation of page.conversations) print(flags, conversation);
        left -= page.conversations.length;
        after = page.next;
        if (after === undefined) return;
      }
    });
  });

add('totals', 'adds up tokens, costs and bytes of the stored conversations')
  .option('--tenant <tenant>', "one tenant's")
  .action(async (flags: Flags & Filter) => {
    await onService(flags, async ({ conversations }) => print(flags, await conversations.totals(filterOf(flags))));
  });

add('rebuild', 'computes anew from the logs what `list` and `totals` say')
  .option('--all', 'also where it is up to date')
  .action(async (flags: Flags & { readonly all?: true }) => {
    await onService(flags, async ({ conversations }) => {
      const { rebuilt, unreadable } = await conversations.rebuild({ all: flags.all === true });
      print(flags, { rebuilt, unreadable });
      if (unreadable.length > 0) process.exitCode = 1;
    });
  });

// Whoever reads has enough, or the disk is full.
process.stdout.on('error', () => process.exit(1));
try {
  if (process.argv.length > 2) await program.parseAsync();
  else program.outputHelp();
} catch (error) {
  process.stderr.write(`palimpsest-dbos: ${plain(messageOf(error))}\n`);
  process.exitCode = 1;
}

function add(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--url <url>', 'the database; its default is DATABASE_URL')
    .option('--name <name>', 'the name of the workers, as in dbosRunner')
    .option('--schema <schema>', 'the schema of the logs, as in migrate')
    .option('--json', 'prints a line of JSON for each');
}

/** Adds a command that says what it did to each conversation. It exits with 1 if it did nothing to one. */
function addForEach(
  name: string,
  description: string,
  work: (conversationId: string, service: Service) => Promise<string>,
): void {
  add(name, description)
    .argument('<id...>', 'the conversations')
    .action(async (ids: readonly string[], flags: Flags) => {
      await onService(flags, async (service) => {
        for (const conversationId of ids) {
          // What one refuses is not the others' affair.
          const result = await work(conversationId, service).catch((error: unknown) => `not done: ${messageOf(error)}`);
          print(flags, { conversationId, result });
          if (/^no/.test(result)) process.exitCode = 1;
        }
      });
    });
}

async function onService(
  { url = process.env['DATABASE_URL'], name, schema }: Flags,
  work: (service: Service) => Promise<void>,
): Promise<void> {
  // Anything else would be taken for the name of a database, or for that of the environment.
  if (!/^postgres(ql)?:\/\//.test(url ?? ''))
    throw new Error('Which database? Say --url postgres://… or set DATABASE_URL.');
  const timeouts = { connectionTimeoutMillis: answerMs, query_timeout: statementMs };
  const pool = new pg.Pool({ connectionString: url, max: 1, ...timeouts });
  pool.on('error', () => undefined);
  const neverOpened = () => Promise.reject(new Error('This process runs nothing.'));
  const queue = name === undefined ? {} : { name };
  const runner = dbosRunner({ url: url ?? '', ...queue, open: neverOpened, onEnd: () => undefined });
  const stored = schema === undefined ? {} : { schema };
  const conversations = postgresConversations({ client: pool, ...stored });
  try {
    const { rows } = await pool.query<{ is_made: boolean }>({
      text: `select exists (select from pg_class where relname = 'version' and relnamespace =
        (select oid from pg_namespace where nspname = 'palimpsest_dbos')) as is_made`,
      query_timeout: answerMs,
    } as pg.QueryConfig);
    await work({ runner, pool, conversations, hasQueue: rows[0]?.is_made === true });
  } finally {
    await runner.stop();
    // A server that is silent is not waited for, once it is said what failed.
    await within(answerMs, pool.end(), 'the end').catch(() => void setTimeout(() => process.exit(), answerMs / 10));
  }
}

/** Works on a service that has a queue: none is made in a database that was named by mistake. */
async function onQueue(flags: Flags, work: (service: Service) => Promise<void>): Promise<void> {
  await onService(flags, async (service) => {
    queueOf(service);
    await work(service);
  });
}

function queueOf({ runner, hasQueue }: Service): DbosRunner {
  if (!hasQueue) throw new Error('There is no queue in this database: `palimpsest-dbos migrate` makes its tables.');
  return runner;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A run that was cancelled holds its conversation until it has ended. */
async function onceFree<T>(work: () => Promise<T>): Promise<T> {
  for (const giveUpAt = Date.now() + eraseWaitMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (!ConversationBusyError.isInstance(error) || Date.now() > giveUpAt) throw error;
      await elapsed(200);
    }
  }
}

interface Filter {
  readonly status?: string;
  readonly tenant?: string;
  readonly waiting?: true;
}

function filterOf({ status, tenant, waiting }: Filter): ConversationFilter {
  return {
    ...(status === undefined ? {} : { status }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(waiting && { isWaiting: true }),
  };
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a number of conversations: 100.');
  return Number(text);
}

/** Prints a result: as JSON, or its values, each with its name unless it says itself what it is. */
function print({ json }: Flags, result: object): void {
  const values = Object.entries(result).filter(([, value]) => value !== undefined);
  const words = values.flatMap(([name, value]) => {
    const text = plain(value instanceof Date ? value.toISOString() : String(value));
    return name === 'conversationId' || name === 'result' ? [text] : [`${name}: ${text}`];
  });
  process.stdout.write(`${json === true ? escaped(JSON.stringify(result)) : words.join('  ')}\n`);
}

/** Ids and errors are data: what moves the cursor of a terminal, or the order of what is read, is left out. */
function plain(text: string): string {
  return text.replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu, ' ');
}

/** Escapes in JSON what a terminal obeys. */
function escaped(json: string): string {
  const unit = (text: string, at: number): string => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return json.replaceAll(/[\p{Cc}\p{Cf}]/gu, (one) =>
    Array.from({ length: one.length }, (_, at) => unit(one, at)).join(''),
  );
}
