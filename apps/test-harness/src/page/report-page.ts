import { HarnessError } from '../harness-error.js';
import type { PageData } from './page-data.js';
import { pageHtml, timelineElement } from './page-html.js';
import type { PageAssets } from './page-html.js';

/** The largest page. Unit: bytes. */
export const largestPage = 20_000_000;

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
