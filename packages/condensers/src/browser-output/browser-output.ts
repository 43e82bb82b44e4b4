import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { CreateEvent, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { matchingEvents } from '@palimpsest/view';
import type { Condenser, MatchingEvents, View } from '@palimpsest/view';
import { batchedMasks } from '../authoring/masks/batched-masks.js';
import { pageStubText } from './browser-output.prompt.js';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { wordsOf } from '../authoring/tool-calls/call-arguments.js';
import { leastSavedByOne } from '../authoring/masks/masks.js';
import type { AttentionWindow, MaskRule } from '../authoring/masks/masks.js';
import { assertPlaceholder, assertWholeNumber } from '../authoring/options/option-checks.js';
import { remembered } from '../authoring/remembered.js';
import { assertNoBatches, rollingMasks } from '../authoring/masks/rolling-masks.js';
import { visitedUrl } from './visited-url.js';

/** Options of {@link browserOutputCondenser}. */
export interface BrowserOutputOptions {
  /** How many of the newest browser outputs stay as they are. Unit: browser outputs. @defaultValue 1 */
  readonly attentionWindow?: number;
  /**
   * The tools whose results are browser outputs, by their exact names.
   * @defaultValue those with `browser`, `browse`, `playwright`, `puppeteer`, `selenium` or `webpage` as a word in their name
   */
  readonly toolNames?: readonly string[];
  /** Stands in the place of each page that is masked, such as `<MASKED>`. @defaultValue a line with the page's address */
  readonly placeholder?: string;
  /**
   * Old pages are masked, all at once, when that saves so much; no more than a tenth of the model's window, where that is
   * known. Not with `rewritesEveryStep`. Unit: tokens. @defaultValue 8000
   */
  readonly minSavedTokens?: number;
  /**
   * Masks each page as soon as it leaves the window, in the view alone: nothing goes on record, requests are left to others,
   * and each step rewrites what a provider has cached. For models without a prompt cache. @defaultValue false
   */
  readonly rewritesEveryStep?: boolean;
  /** Makes the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

const name = 'browserOutput';
const browserWords = new Set(['browser', 'browse', 'playwright', 'puppeteer', 'selenium', 'webpage']);

/**
 * Masks old pages: of the results of browser tools the newest `attentionWindow` stay, and the older ones become a line with
 * the address that was visited. Everything else stays as it is, and so does the newest step. Batches, budget and requests are
 * as in {@link observationMaskingCondenser}, which masks results of every tool; this one is for pages and screenshots, which
 * are large and soon out of date. Put it in front of a condenser that summarises, so that no summary is made of old pages.
 *
 * Failures that the framework reported and the user's refusals stay.
 *
 * Bound: none, because calls and words stay; compose it with one that forgets.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range or a tool has no name; `condense` throws
 *   {@link NoCondensationAvailableError} when a condensation was asked for and masking would save too little.
 * @see BrowserOutputCondenser of OpenHands at d6fab190, without its faults: it masks anew at each step, loses the call's id,
 *   so that the call is not sent either, and drops an open request
 */
export function browserOutputCondenser(options: BrowserOutputOptions = {}): Condenser {
  const { attentionWindow = 1, toolNames, minSavedTokens = 8_000, placeholder, createEvent } = options;
  assertWholeNumber(name, 'attentionWindow', attentionWindow, 0);
  assertWholeNumber(name, 'minSavedTokens', minSavedTokens, 1);
  assertNoBatches(name, options);
  assertPlaceholder(name, placeholder);
  if (toolNames?.some((tool) => tool.trim() === '') === true) {
    throw new InvalidCondenserConfigError({ condenser: name, option: 'toolNames', reason: 'holds an empty name' });
  }
  const named = toolNames === undefined ? undefined : new Set(toolNames);
  const known = new Map<string, boolean>();
  const isBrowser = (tool: string): boolean => {
    if (named !== undefined) return named.has(tool);
    const isKnown = known.get(tool) ?? wordsOf(tool).some((word) => browserWords.has(word));
    if (known.size < 1_000) known.set(tool, isKnown);
    return isKnown;
  };
  const isPage = (event: LLMConvertibleEvent): event is ToolResultEvent =>
    event.type === 'observation' && isBrowser(event.toolName);
  const rule: MaskRule = {
    isMaskable: (event, tokens) => isPage(event) && event.redacted !== true && tokens >= leastSavedByOne,
    maskOf: (view, event, index) => {
      if (!isToolResult(event)) return undefined;
      const text = placeholder ?? pageStub(event, visitedUrl(view, event, index, isBrowser));
      return text === undefined ? undefined : { eventId: event.id, text };
    },
  };
  const pagesIn = matchingEvents<LLMConvertibleEvent>(isPage);
  const windowOf = (view: View): AttentionWindow => windowOfPages(view, attentionWindow, pagesIn(view.events));
  return options.rewritesEveryStep === true
    ? rollingMasks({ name, rule, windowOf })
    : batchedMasks({ name, rule, windowOf, minSavedTokens, createEvent });
}

function windowOfPages(view: View, attentionWindow: number, pages: MatchingEvents): AttentionWindow {
  const { length } = view.events;
  return {
    start: attentionWindow === 0 ? length : (pages.at(-attentionWindow) ?? 0),
    leftWith: (index) => pages.at(pages.before(index) + attentionWindow) ?? length,
  };
}

/** What stands in the place of a page. Undefined where that would not be shorter. */
const pageStub = remembered((event: ToolResultEvent, url: string): string | undefined => {
  let text = '';
  let images = 0;
  for (const part of toolResultContent(event)) {
    if (part.type === 'text') text += (text === '' ? '' : '\n') + part.text;
    else images++;
  }
  const stub = pageStubText({
    toolName: event.toolName,
    url,
    lines: text === '' ? 0 : text.split('\n').length,
    characters: text.length,
    images,
  });
  return images === 0 && stub.length >= text.length ? undefined : stub;
});
