import { addressOf, describeHostFile, hostFilesOf, isToolResult, toolResultContent } from '@palimpsest/events';
import type { CreateEvent, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { wordsOfName } from '../authoring/calls/arguments.js';
import { remembered } from '../authoring/calls/remembered.js';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionsOf, toolNameList } from '../authoring/definition/option-schemas.js';
import { batchesOrEveryStep, maskingCondenser, maskOptions } from '../authoring/masks/masking-condenser.js';
import type { MaskOptions } from '../authoring/masks/masking-condenser.js';
import { leastSavedByOne } from '../authoring/masks/masks.js';
import type { AttentionWindow } from '../authoring/masks/masks.js';
import { pageStubText } from './browser-output.prompt.js';
import { visitedUrl } from './visited-url.js';

/** Options of {@link browserOutputCondenser}. */
export interface BrowserOutputOptions extends MaskOptions {
  /** The number of newest browser outputs that are not masked. Unit: browser outputs. @defaultValue 1 */
  readonly attentionWindow?: number | undefined;
  /**
   * The tools whose results are browser outputs, by their exact names.
   * @defaultValue those with `browser`, `browse`, `playwright`, `puppeteer`, `selenium` or `webpage` as a word in their name
   */
  readonly toolNames?: readonly string[] | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

const browserWords = new Set(['browser', 'browse', 'playwright', 'puppeteer', 'selenium', 'webpage']);

/**
 * Masks old pages. Of the results of browser tools the newest `attentionWindow` stay; each older one is replaced by a line with
 * the visited address. Everything else stays, including the newest step. Batches, budget and requests work as in {@link
 * observationMaskingCondenser}, which masks results of every tool. This condenser is for pages and screenshots, which are large
 * and soon out of date. Place it before a condenser that summarises, so that old pages are not summarised.
 *
 * Failures reported by the framework and the user's refusals stay. In batches it is a {@link Reducer}, for {@link pricedCondenser}.
 *
 * Bound: none, because calls and messages stay; combine it with a condenser that forgets.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range or a tool has no name; `condense` throws {@link
 *   NoCondensationAvailableError} when a condensation was requested and masking would save too little.
 * @see BrowserOutputCondenser of OpenHands at d6fab190, without its faults: it masks anew at each step, loses the call's id,
 *   so that the call is not sent either, and drops an open request
 */
export function browserOutputCondenser(options: BrowserOutputOptions = {}): Condenser {
  return createCondenser(browserOutput, options);
}

/** Refuses an empty list of tools, which would mask nothing. */
function someToolNames() {
  return toolNameList().check(z.minLength(1, { error: 'must name a tool, or be left out' }));
}

/** The definition of {@link browserOutputCondenser}. */
export const browserOutput = /* @__PURE__ */ defineCondenser({
  name: 'browserOutput',
  summary: 'masks old pages of browser tools, when a batch of them saves enough',
  options: /* @__PURE__ */ optionsOf(
    () => ({ ...maskOptions(1), toolNames: z.optional(z.readonly(someToolNames())) }),
    batchesOrEveryStep,
  ),
  create: ({ attentionWindow, toolNames, placeholder, ...options }, { createEvent }) => {
    const isBrowser = browserTools(toolNames);
    const isPage = (event: LLMConvertibleEvent): event is ToolResultEvent =>
      event.type === 'observation' && isBrowser(event.toolName);
    return maskingCondenser({
      name: 'browserOutput',
      rule: {
        isMaskable: (event, tokens) => isPage(event) && event.redacted !== true && tokens >= leastSavedByOne,
        maskOf: (view, event, index) => {
          if (!isToolResult(event)) return undefined;
          const text = placeholder ?? pageStub(event, visitedUrl(view, event, index, isBrowser));
          return text === undefined ? undefined : { eventId: event.id, text };
        },
      },
      windowOf: (view) => windowOfPages(view, attentionWindow, isPage),
      ...options,
      createEvent,
    });
  },
});

/** Recognises browser tools by name: the given names, or those with a browser word in them. */
function browserTools(toolNames: readonly string[] | undefined): (tool: string) => boolean {
  if (toolNames !== undefined) {
    const named = new Set(toolNames);
    return (tool) => named.has(tool);
  }
  const known = new Map<string, boolean>();
  return (tool) => {
    const isKnown = known.get(tool) ?? wordsOfName(tool).some((word) => browserWords.has(word));
    if (known.size < 1_000) known.set(tool, isKnown);
    return isKnown;
  };
}

function windowOfPages(
  { events }: View,
  attentionWindow: number,
  isPage: (event: LLMConvertibleEvent) => boolean,
): AttentionWindow {
  const pages = events.flatMap((event, index) => (isPage(event) ? [index] : []));
  return {
    start: attentionWindow === 0 ? events.length : (pages.at(-attentionWindow) ?? 0),
    leftWith: (index) => pages.filter((page) => page >= index)[attentionWindow] ?? events.length,
  };
}

/** The replacement for a page. Undefined if it would not be shorter. */
const pageStub = /* @__PURE__ */ remembered((event: ToolResultEvent, url: string): string | undefined => {
  let text = '';
  let images = 0;
  for (const part of toolResultContent(event)) {
    if (part.type === 'text') text += (text === '' ? '' : '\n') + part.text;
    else images++;
  }
  const files = hostFilesOf(event).map(describeHostFile);
  const stub = pageStubText({
    toolName: event.toolName,
    address: addressOf(event.id),
    url,
    lines: text === '' ? 0 : text.split('\n').length,
    characters: text.length,
    images,
    files,
  });
  return images === 0 && files.length === 0 && stub.length >= text.length ? undefined : stub;
});
