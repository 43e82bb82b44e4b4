import { defineTool, describeHostFile, hostFile } from '@palimpsest/events';
import type { ContentPart, Event, Tool, ToolContext, ToolDefinition, ToolOutput } from '@palimpsest/events';
import { isRecalled } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import * as z from 'zod/mini';
import { recallToolName } from '../description.prompt.js';
import { describeEvent, resolveReference } from '../target.js';
import { note, pageCharacters, pageOf, refusal } from './answers.js';
import type { Entry } from './answers.js';
import { documentsOf, hiddenEvents, originalOf, placesIn } from './hidden.js';
import type { Document, HiddenEvents, Places } from './hidden.js';
import { recallArguments, recallDescription } from './recall.prompt.js';
import { comparablePath, documentsOfPath, endsOfPath, placeOfPath } from './search-path.js';
import { excerptOf, linesWithWords, ranked } from './search-words.js';

/** The input of the recall tool: one of `address`, `path` and `query`. */
export interface RecallInput {
  readonly address?: string | undefined;
  readonly path?: string | undefined;
  readonly query?: string | undefined;
  readonly page?: number | undefined;
}

/** Options of {@link recallTool}. */
export interface RecallToolOptions {
  /**
   * The condenser of the loop. The tool then knows all that is hidden, also what is hidden in the view alone (rolling masks,
   * newest events, batched directives), and answers in one line what the model sees anyway. It is asked for a preview, which
   * calls no model. @defaultValue none: hidden is what the log records, and a text that is asked for by its address is returned
   * whether hidden or not
   */
  readonly condenser?: Condenser | undefined;
  /** The length of a page, at four characters a token; less where the host shows less of an output. Unit: tokens. @defaultValue 3000 */
  readonly pageTokens?: number | undefined;
}

/**
 * Returns the tool with which a model gets back what is hidden from it: by the address that a note or a summary names, by a path,
 * or by words. It reaches all that was forgotten, masked, redacted, shown in part or never sent, and the summaries that later
 * ones replaced. Instructions and thinking are left out. It only reads the log. Long answers come in pages.
 *
 * Offer it from the start wherever a condenser is: a tool list that changes later is written to the provider's cache anew.
 *
 * @throws RangeError when `pageTokens` is not a whole number of at least 50.
 */
export function recallTool(options: RecallToolOptions = {}): Tool<RecallInput> {
  const { pageTokens = 3_000, condenser } = options;
  if (!Number.isInteger(pageTokens) || pageTokens < 50) {
    throw new RangeError(`pageTokens must be a whole number of at least 50, not ${pageTokens}`);
  }
  return defineTool({
    name: recallToolName,
    description: recallDescription,
    input: z.strictObject({
      address: z.optional(z.string().check(z.describe(recallArguments.address))),
      path: z.optional(z.string().check(z.describe(recallArguments.path))),
      query: z.optional(z.string().check(z.describe(recallArguments.query))),
      page: z.optional(z.int().check(z.minimum(1), z.describe(recallArguments.page))),
    }),
    annotations: { readOnly: true, repeatable: true, parallel: true },
    execute: (input, context) => recall(input, context, { condenser, pageTokens }),
  });
}

/** The material of an answer. */
interface Search {
  readonly context: ToolContext;
  readonly hidden: HiddenEvents;
  readonly places: Places;
  readonly page: number;
  readonly characters: number;
  /** True if all that is hidden is known. */
  readonly isKnown: boolean;
}

async function recall(
  input: RecallInput,
  context: ToolContext,
  { condenser, pageTokens }: { readonly condenser: Condenser | undefined; readonly pageTokens: number },
): Promise<ToolOutput> {
  // A model that must name every argument leaves the others empty.
  const [address, path, query] = [input.address, input.path, input.query].map((text) => text?.trim() ?? '');
  const given = [address, path, query].filter((text) => text !== '');
  if (given.length !== 1) {
    return refusal('one_of_three', 'Give exactly one of address, path and query.');
  }
  const hidden = await hiddenEvents(context, condenser);
  const search: Search = {
    context,
    hidden,
    places: placesIn(context.log, hidden.view),
    page: input.page ?? 1,
    characters: pageCharacters(pageTokens, context.maxOutputCharacters),
    isKnown: condenser !== undefined,
  };
  if (address) return byAddress(address, search);
  return path ? byPath(path, search) : byWords(query ?? '', search);
}

function byAddress(reference: string, search: Search): ToolOutput {
  const { context, hidden, places, page, characters, isKnown } = search;
  const resolved = resolveReference(reference, context);
  if (resolved.type === 'unknown') {
    const hint = 'Copy the address as the note or summary has it, or search with path or query.';
    return refusal('unknown_address', `There is nothing at '${reference.slice(0, 100)}'. ${hint}`);
  }
  if (resolved.type === 'ambiguous') {
    const named = resolved.candidates.map(describeEvent).join(', ');
    return refusal('ambiguous_address', `More than one event fits. Name one of: ${named}.`);
  }
  const { event } = resolved;
  const original = originalOf(event, (id) => context.event(id));
  if (original === undefined) {
    return refusal(
      'not_recallable',
      `It is a ${event.type}; only results, calls, messages and summaries are returned.`,
    );
  }
  const reason = hidden.reasonOf(event);
  const what = places.describe(event, reason);
  if (reason === undefined && isKnown) return note(`You see it in full above. ${what}.`);
  const earlier = isKnown ? stillInView(event, page, search) : undefined;
  if (earlier !== undefined)
    return note(`You have recalled it already, and still see it: ${places.describe(earlier)}.`);
  const entries = [{ eventId: event.id, text: original.text }];
  const { media } = original;
  return pageOf({ heading: `${what}.${mediaText(media)}`, entries, media }, page, characters);
}

/** Returns the images and the files of an answer in words. A host may show them only in words. */
function mediaText(media: readonly ContentPart[]): string {
  const images = media.filter(({ type }) => type === 'image').length;
  const counted = images === 0 ? [] : [`${images} ${images === 1 ? 'image' : 'images'}`];
  const all = [...counted, ...media.flatMap((part) => hostFile(part) ?? []).map(describeHostFile)];
  return all.length === 0 ? '' : ` It holds ${all.join('; ')}.`;
}

/** Returns an earlier answer with the same page of the same text, if the model still sees it. */
function stillInView({ id }: Event, page: number, { hidden, characters }: Search): Event | undefined {
  for (const event of hidden.view.events) {
    if (!isRecalled(event) || event.type !== 'observation' || hidden.reasonOf(event) !== undefined) continue;
    const { recalledEventIds, page: its, characters: size } = event.details ?? {};
    const isSame = Array.isArray(recalledEventIds) && recalledEventIds.length === 1 && recalledEventIds[0] === id;
    if (isSame && its === page && size === characters) return event;
  }
  return undefined;
}

function byPath(asked: string, search: Search): ToolOutput {
  const { places, page, characters } = search;
  const documents = documentsOf(search.context, search.hidden);
  const isHidden = ({ reason }: Document): boolean => reason !== undefined;
  for (const path of endsOfPath(comparablePath(asked))) {
    const found = documentsOfPath(documents, path);
    const [calls, mentions] = [found.calls.filter(isHidden), found.mentions.filter(isHidden)];
    if (calls.length + mentions.length === 0) {
      const seen = [...found.calls, ...found.mentions];
      if (seen.length > 0) return inView(`'${path}'`, seen, search);
      continue;
    }
    const heading = `'${path}': hidden calls and results on it, newest first: ${calls.length}; other hidden texts that mention it: ${mentions.length}.`;
    const entries = [
      ...calls.map((document) => entryOf(document, '', document.text, places)),
      ...mentions.map((document) => entryOf(document, 'mentioned in ', linesWithPath(document, path), places)),
    ];
    return pageOf({ heading, entries }, page, characters);
  }
  return nothing(`names the path '${asked.slice(0, 200)}'`, documents);
}

function byWords(query: string, search: Search): ToolOutput {
  const { places, page, characters } = search;
  const documents = documentsOf(search.context, search.hidden);
  const hidden = documents.filter(({ reason }) => reason !== undefined);
  const found = ranked(hidden, query);
  if (found.length === 0) {
    const seen = ranked(documents, query);
    return seen.length > 0 ? inView('The words', seen, search) : nothing('holds any of these words', documents);
  }
  const entries = found.map((document) =>
    entryOf(document, '', linesWithWords(document.text, query).join('\n'), places),
  );
  const heading = `${found.length} of ${hidden.length} hidden texts fit, the best first. Recall one by its address.`;
  return pageOf({ heading, entries }, page, characters);
}

function entryOf({ event, text: whole, reason }: Document, prefix: string, text: string, places: Places): Entry {
  const lines = whole.split('\n').length;
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}`;
  return { eventId: event.id, text: `== ${prefix}${places.describe(event, reason)}; ${size}\n${text}` };
}

function linesWithPath({ text }: Document, path: string): string {
  return excerptOf(text, (line) => {
    const at = placeOfPath(line, path);
    return { score: at === undefined ? 0 : 1, at: at ?? 0 };
  }).join('\n');
}

/** The number of texts in view that are named. */
const mostInView = 5;

function inView(what: string, seen: readonly Document[], { places }: Search): ToolOutput {
  const named = seen.slice(0, mostInView).map(({ event }) => `- ${places.describe(event)}`);
  return note(`${what}: nothing hidden; you see it in:\n${named.join('\n')}`);
}

function nothing(what: string, documents: readonly Document[]): ToolOutput {
  const isAnyHidden = documents.some(({ reason }) => reason !== undefined);
  return note(isAnyHidden ? `Nothing that is hidden ${what}.` : 'Nothing is hidden: you see the whole conversation.');
}

/**
 * Returns the tools of a loop, with the recall tool at the end wherever a condenser may hide something. Without a condenser, or with
 * a tool of that name, they are as they were. Call it once, where the loop is put together, so that the list of tools stays the same for a
 * whole conversation: a changed list is written to the provider's cache anew.
 */
export function withRecall<Some extends ToolDefinition>(
  tools: readonly Some[],
  options: RecallToolOptions & { readonly condenser: Condenser | undefined },
): readonly (Some | ReturnType<typeof recallTool>)[] {
  const hasIt = tools.some(({ name }) => name === recallToolName);
  return options.condenser === undefined || hasIt ? tools : [...tools, recallTool(options)];
}
