import './no-eval.js';
import { messageOf } from '../../harness-error.js';
import { modelCalls } from '../../import/log/model-calls.js';
import type { Session } from '../../import/index.js';
import { none, reportCondensers } from '../../replay/named-policy.js';
import { namedPolicy, pricedPolicy, replayOfSession, sessionsOfText } from '../../replay/replay-text.js';
import type { TextSessions } from '../../replay/replay-text.js';
import { callsByModel } from '../priced-as.js';
import type { FoundSession, Reply, Request, SourceFile } from './protocol.js';

/** The sessions of the file that was read last. No other file is in memory. */
let held: { readonly id: number; readonly found: TextSessions } | undefined;

const reply = (answer: Reply): void => postMessage(answer);

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  answer(data).then(
    () => reply({ type: 'done' }),
    (error: unknown) => reply({ type: 'failed', message: messageOf(error) }),
  );
});

async function answer(request: Request): Promise<void> {
  if (request.type === 'list') {
    for (const file of request.files) reply(await listed(file));
    return;
  }
  const { file, index, policies = [none.name, ...reportCondensers], priced, withTimeline } = request;
  const session = (await sessionsIn(file)).sessions[index];
  if (session === undefined) throw new Error(`'${file.name}' has changed since it was listed.`);
  const { replayed, timeline } = await replayOfSession(session, {
    policies: policies.map((policy) => (typeof policy === 'string' ? namedPolicy(policy) : pricedPolicy(policy))),
    prices: [],
    priced,
    withTimeline,
    onPolicy: (name) => reply({ type: 'policy', name }),
  });
  reply({ type: 'replayed', replayed, timeline });
}

async function listed(file: SourceFile): Promise<Reply> {
  try {
    const { sessions, skipped } = await sessionsIn(file);
    return {
      type: 'listed',
      file: file.id,
      sessions: sessions.map(foundSession),
      skipped: skipped.map(({ reason }) => ({ file: file.name, reason })),
    };
  } catch (error) {
    return { type: 'listed', file: file.id, sessions: [], skipped: [{ file: file.name, reason: messageOf(error) }] };
  }
}

async function sessionsIn({ id, name, blob }: SourceFile): Promise<TextSessions> {
  if (held?.id === id) return held.found;
  held = undefined;
  const found = await sessionsOfText({ file: name, blocks: () => blocksOf(blob) });
  held = { id, found };
  return found;
}

/** Reads by hand: not every browser iterates over a stream. */
async function* blocksOf(blob: Blob): AsyncGenerator<string> {
  const reader = blob.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let block = await reader.read(); !block.done; block = await reader.read()) yield block.value;
}

function foundSession({ name, format, events }: Session, index: number): FoundSession {
  const at = Date.parse(events.at(-1)?.timestamp ?? '');
  // A log without times is read as if all happened in 1970.
  const hasTime = at > Date.UTC(1971, 0, 1);
  return {
    index,
    name,
    format,
    modelCalls: modelCalls(events).length,
    ...(hasTime && { at }),
    models: callsByModel(events),
  };
}
