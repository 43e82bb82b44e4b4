import type { ReplayedSession } from '../replay/replay-report.js';
import type { SessionTimeline } from '../replay/timeline.js';

/** A reason of a known condenser: a few lower-case words. Anything else may quote a session. */
const plainReason = /^[a-z][a-z0-9 ,-]{0,60}$/;

/** The name of a tool as agents give them. Anything else is no name and may quote a session. */
const plainName = /^[\w.:/-]{1,64}$/;

/** A session without what its log says: sizes and counts stay, names, messages and notes go. */
export function redactedSession(session: ReplayedSession, index: number): ReplayedSession {
  return {
    ...session,
    name: `session ${index + 1}`,
    file: '',
    notes: session.notes.map((note) => ({ ...note, file: '', message: '' })),
    replays: session.replays.map((replay) => ({
      ...replay,
      refusals: replay.refusals.map((refusal) => ({ ...refusal, path: '', message: '' })),
      overflowed: replay.overflowed.map((overflow) => ({ ...overflow, did: '' })),
      condenserErrors: replay.condenserErrors.map((error) => ({ ...error, message: '' })),
    })),
  };
}

/** A timeline without texts: kinds, sizes and names of tools stay. */
export function redactedTimeline(timeline: SessionTimeline): SessionTimeline {
  return {
    ...timeline,
    texts: [],
    items: timeline.items.map(({ text: _text, tool, ...item }) => ({
      ...item,
      ...(tool !== undefined && { tool: plainName.test(tool) ? tool : 'tool' }),
    })),
    policies: timeline.policies.map((policy) => ({
      ...policy,
      errors: policy.errors.map((error) => ({ ...error, message: '' })),
      condensations: policy.condensations.map(({ reason, ...condensation }) => ({
        ...condensation,
        ...(reason !== undefined && plainReason.test(reason) && { reason }),
      })),
    })),
  };
}
