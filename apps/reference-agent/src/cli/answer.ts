import { realpath } from 'node:fs/promises';
import { Agent, Conversation, secretMask } from '@palimpsest/agent';
import { apiKeys, noModel } from '../agent/models.js';
import { exitStatus, UsageError } from '../context.js';
import type { CliContext } from '../context.js';
import { waitingCallLines } from '../output/call-lines.js';
import { uncoloured } from '../output/lines.js';
import { listSessions, sessionNamed, sessionStatus } from '../session/session.js';
import type { ListedSession } from '../session/session.js';
import { sessionsFolder } from '../settings/user-folders.js';

/** The answer to calls that wait. With `none` they are only shown. */
export type Answer =
  { readonly type: 'yes' } | { readonly type: 'no'; readonly reason?: string | undefined } | { readonly type: 'none' };

/**
 * Runs `palimpsest approve` and `palimpsest deny`: records an answer in the log of a session that waits, from any
 * process. The run goes on with `palimpsest resume`. Resolves to the exit status.
 *
 * @throws {@link UsageError} when the session waits for nothing; {@link SessionError} when there is none; {@link ConversationBusyError}
 *   when another process is at work in it.
 */
export async function answerCommand(
  id: string | undefined,
  answer: Answer,
  { env, cwd, stdout }: Pick<CliContext, 'env' | 'cwd' | 'stdout'>,
): Promise<number> {
  const { session } =
    id === undefined ? await waitingSession(env, cwd) : await sessionNamed(id, undefined, { env, cwd });
  // The session's own agent has decided what waits, and decides again what runs: rules that deny hold, whoever says yes.
  const agent = new Agent({ llm: noModel(), confirmation: 'always' });
  const secrets = secretMask(apiKeys(env));
  const conversation = await Conversation.open({ agent, store: session.store, conversationId: session.id, secrets });
  const { status, waitingActions: waiting } = conversation;
  if (status !== 'waiting-for-confirmation' || waiting.length === 0) {
    throw new UsageError(`Session '${session.id}' waits for nothing: it is ${status}.`);
  }
  for (const line of waiting.flatMap(({ toolCall, summary, securityRisk: risk }) =>
    waitingCallLines({ ...toolCall, summary, risk }),
  ))
    stdout.write(`${uncoloured(line)}\n`);
  if (answer.type === 'none') return exitStatus.done;
  const actions = waiting.map((action) => action.id);
  const answered = await (answer.type === 'yes'
    ? conversation.confirm({ actions })
    : conversation.reject(answer.reason));
  await conversation.close();
  if (answered.length === 0) throw new UsageError(`Session '${session.id}' has been answered by somebody else.`);
  stdout.write(`${answer.type === 'yes' ? 'Approved' : 'Denied'}. Go on with: palimpsest resume ${session.id}\n`);
  return exitStatus.done;
}

/** The last used session of the folder that waits. */
async function waitingSession(env: CliContext['env'], cwd: string): Promise<ListedSession> {
  const workspace = await realpath(cwd);
  const { sessions } = await listSessions(sessionsFolder(env), { workspace });
  for (const listed of sessions) if ((await sessionStatus(listed)) === 'waiting-for-confirmation') return listed;
  throw new UsageError(
    `No session of '${workspace}' waits for a yes. 'palimpsest list --all' shows those of all folders.`,
  );
}
