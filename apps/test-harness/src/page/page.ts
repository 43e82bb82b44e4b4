import { HarnessError } from '../harness-error.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import type { SessionTimeline } from '../replay/timeline.js';
import { dataElement, htmlPage } from './html.js';
import type { PageAssets } from './html.js';
import type { PageData } from './page-data.js';

/** The largest page. Unit: bytes. */
const largestPage = 20_000_000;

/** A timeline and the session that it is of. */
export interface SessionWithTimeline {
  /** The index of the session in the page. */
  readonly session: number;
  /** JSON. */
  readonly timeline: string;
}

/** A page of at most {@link largestPage} bytes, and how many timelines did not fit. */
export interface ReportPage {
  readonly html: string;
  readonly trimmed: number;
}

/**
 * Makes one page with the timelines that fit, in their order; one that does not fit is left out and counted.
 *
 * @throws {@link HarnessError} `page-too-large` when the page is too large without a timeline
 */
export function reportPage(
  data: Omit<PageData, 'timelines' | 'trimmed'>,
  timelines: readonly SessionWithTimeline[],
  assets: PageAssets,
  largest: number = largestPage,
): ReportPage {
  const page = (shown: readonly SessionWithTimeline[], elements: readonly string[]): ReportPage => {
    const trimmed = timelines.length - shown.length;
    const links = shown.map(({ session }) => ({ session }));
    return { html: pageHtml({ ...data, timelines: links, trimmed }, elements, assets), trimmed };
  };
  // What the list of all timelines takes is counted whether they fit or not.
  let bytes = Buffer.byteLength(page([], []).html) + timelines.length * bytesOfLink;
  if (bytes > largest) {
    const megabytes = (size: number): string => (size / 1e6).toFixed(1);
    throw new HarnessError(
      'page-too-large',
      `The figures of ${data.sessions.length} sessions make a page of ${megabytes(bytes)} MB; the limit is ${megabytes(largest)} MB. ` +
        'Name fewer sessions, or fewer condensers (-c).',
    );
  }
  const shown: SessionWithTimeline[] = [];
  const elements: string[] = [];
  for (const each of timelines) {
    const element = timelineElement(each.session, each.timeline);
    const size = Buffer.byteLength(element) + 1;
    if (bytes + size > largest) continue;
    bytes += size;
    shown.push(each);
    elements.push(element);
  }
  return page(shown, elements);
}

const bytesOfLink = 40;

/** The id of the element with the {@link PageData}. */
const pageDataId = 'page-data';

/** Returns the page as HTML: script, style and data stand in it, and it loads nothing. */
export function pageHtml(data: PageData, timelines: readonly string[], assets: PageAssets): string {
  return htmlPage({
    title: 'What your agent’s sessions cost · Palimpsest',
    ...assets,
    before: [dataElement(pageDataId, JSON.stringify(data)), ...timelines],
  });
}

/** Makes the element that holds the timeline of a session, from JSON. The page reads it when the session is opened. */
function timelineElement(session: number, timeline: string): string {
  return dataElement(`timeline-${session}`, timeline);
}

/** Returns a session without what is listed by call, which stands in the timelines, and without the words of notes. */
export function withoutCalls(session: ReplayedSession): ReplayedSession {
  const byCall = { tokensByCall: [], condensedAt: [], rewrittenAt: [] };
  return {
    ...session,
    notes: session.notes.map((note) => ({ ...note, message: '' })),
    replays: session.replays.map((replay) => ({ ...replay, ...byCall })),
  };
}

/** A reason of a known condenser: a few lower-case words. Anything else may quote a session. */
const plainReason = /^[a-z][a-z0-9 ,-]{0,60}$/;

/** The name of a tool, a condenser or a stage as programs give them. Anything else, such as a path, may quote a session. */
const plainName = /^[\w.:-]{1,64}$/;

/** A name of a tool without that of its MCP server, which may be a project's. */
function redactedTool(tool: string): string {
  if (tool.startsWith('mcp__')) return 'mcp';
  return plainName.test(tool) ? tool : 'tool';
}

/** Returns a session without what its log says: sizes and counts stay, names, messages and notes go. */
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

/** Returns a timeline without texts: kinds, sizes and names of tools stay. */
export function redactedTimeline(timeline: SessionTimeline): SessionTimeline {
  return {
    ...timeline,
    texts: [],
    items: timeline.items.map(({ text: _text, tool, ...item }) => ({
      ...item,
      ...(tool !== undefined && { tool: redactedTool(tool) }),
    })),
    policies: timeline.policies.map((policy) => ({
      ...policy,
      errors: policy.errors.map((error) => ({ ...error, message: '' })),
      condensations: policy.condensations.map(({ condenser, reason, stage, ...condensation }) => ({
        ...condensation,
        condenser: plainName.test(condenser) ? condenser : policy.policy,
        ...(reason !== undefined && plainReason.test(reason) && { reason }),
        ...(stage !== undefined && plainName.test(stage) && { stage }),
      })),
    })),
  };
}
