import type { CallState } from '../llm.js';
import { unnamedToolName } from '../wire/pieces.js';

/** A call that a model wrote. `arguments` is the text that it wrote, which need not parse. */
interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
  /**
   * `as-written` for JSON, whose text says whether it is whole. Parameters in tags become JSON here, so the tags say
   * it: `complete` if all of them are closed, else `cut`. JSON in a block that is not closed is `cut` unless it is
   * whole.
   */
  readonly state: CallState;
}

/** An answer, divided. */
interface ReadAnswer {
  /** The text outside of calls. A beginning of the answer, if it has calls at its end alone. */
  readonly text: string;
  readonly calls: readonly WrittenCall[];
}

/** The possible beginnings of a call: ours, that of models which learned another form, or a fence with JSON. */
const callStart = /<tool_call\b|<function=|```(?:json|tool_call|tool_code)?\s*[[{]/i;

const fence = /^```[a-z_]*\s*([[{][\s\S]*?[\]}])\s*(?:```|$)/i;
const block = /^<tool_call\b[^>]{0,200}>([\s\S]*?)(?:(<\/tool_call>)|(?=<tool_call\b)|$)/i;
const functionBlock = /^<function=([^>\s]*)>([\s\S]*?)(?:(<\/function>)|(?=<function=)|$)/i;
/** An answer with more is a model that repeats itself; the rest of it is text. */
const maxPlaces = 100;
/** Thinking that a server leaves in the answer. A call in it was only thought of. */
const thinking = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i;

/**
 * Reads the calls out of an answer: blocks that are closed, that were forgotten to be closed, or that were cut off,
 * each with its state. Other JSON is a call only if it is of the form of a call and names one of the tools.
 */
export function readCalls(answer: string, tools: readonly string[]): ReadAnswer {
  const whole = callsIn(answer.trim(), (name) => tools.includes(name));
  if (/^[[{]/.test(answer.trim()) && whole !== undefined) return { text: '', calls: whole };
  const start = thinking.exec(answer)?.[0].length ?? 0;
  let text = answer.slice(0, start);
  let rest = answer.slice(start);
  const calls: WrittenCall[] = [];
  for (let place = 0; place < maxPlaces; place++) {
    const found = callStart.exec(rest);
    if (found === null) break;
    text += rest.slice(0, found.index);
    rest = rest.slice(found.index);
    const read = callsAt(rest, tools);
    if (read === undefined) {
      // Some other JSON, or a program: passed over as a whole, so that nothing inside it is a call.
      const length = fence.exec(rest)?.[0].length ?? 1;
      text += rest.slice(0, length);
      rest = rest.slice(length);
    } else {
      calls.push(...read.calls);
      rest = rest.slice(read.length);
    }
  }
  return { text: (text + rest).trimEnd(), calls };
}

function callsAt(
  text: string,
  tools: readonly string[],
): { readonly calls: readonly WrittenCall[]; readonly length: number } | undefined {
  const marked = block.exec(text);
  if (marked !== null) {
    const [{ length }, body = '', end] = marked;
    return { calls: callsInBlock(body.trim(), end !== undefined), length };
  }
  const functional = functionBlock.exec(text);
  if (functional !== null) {
    return tools.includes(functional[1] ?? '')
      ? { calls: [functionCall(functional)], length: functional[0].length }
      : undefined;
  }
  const fenced = fence.exec(text);
  const calls = fenced === null ? undefined : callsIn(fenced[1] ?? '', (name) => tools.includes(name));
  return fenced === null || calls === undefined ? undefined : { calls, length: fenced[0].length };
}

/**
 * Reads the content of a block, which is meant as a call, whatever it is: the tool's error tells the model what is
 * wrong with it.
 */
function callsInBlock(body: string, isClosed: boolean): readonly WrittenCall[] {
  const functional = functionBlock.exec(body);
  if (functional !== null) return [functionCall(functional)];
  // The tag that ends the block can be cut, too.
  const json = body.replace(/^```[a-z_]*\s*/i, '').replace(/\s*(?:```|<\/[a-z_]*)$/i, '');
  const calls = callsIn(json, () => true);
  if (calls !== undefined) return calls;
  const name = /"(?:name|tool|function)"\s*:\s*"([^"]+)"/.exec(json)?.[1];
  const begun = /"(?:arguments|parameters|input|args)"\s*:\s*([\s\S]*)$/.exec(json)?.[1];
  const given = begun === undefined ? json : withoutOuterBrace(begun);
  return [{ name: name ?? unnamedToolName, arguments: given, state: isClosed ? 'as-written' : 'cut' }];
}

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const kept = /"\\u0000(-?\d[\d.eE+-]*)"/g;

/** Keeps a number that JavaScript would round or rewrite as text while the JSON around it is read. */
function keptNumber(token: string): string {
  return token.startsWith('"') || String(Number(token)) === token ? token : JSON.stringify(`\u0000${token}`);
}

function callsIn(json: string, isTool: (name: string) => boolean): readonly WrittenCall[] | undefined {
  let calls: readonly (WrittenCall | undefined)[];
  try {
    const value: unknown = JSON.parse(json.replace(stringOrNumber, keptNumber));
    calls = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(callOf);
  } catch {
    // Not JSON, or nested deeper than it can be written again.
    return undefined;
  }
  return calls.length > 0 && calls.every((call) => call !== undefined && isTool(call.name))
    ? (calls as readonly WrittenCall[])
    : undefined;
}

function callOf(value: unknown): WrittenCall | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, tool, function: called, arguments: own, parameters, input, args } = value as Record<string, unknown>;
  if (typeof called === 'object' && called !== null) return callOf(called);
  const named = [name, tool, called].find((one) => typeof one === 'string' && one !== '');
  if (typeof named !== 'string') return undefined;
  const given = own ?? parameters ?? input ?? args ?? {};
  const text = typeof given === 'string' ? given : JSON.stringify(given).replace(kept, '$1');
  return { name: named, arguments: text, state: 'as-written' };
}

/** `<parameter=path>a.ts</parameter>`, or JSON. A value that is JSON is read as such, because the form has no types. */
function functionCall([, named, given = '', end]: RegExpExecArray): WrittenCall {
  const name = named === undefined || named === '' ? unnamedToolName : named;
  const body = given.trim();
  const isClosed = end !== undefined;
  if (!/<parameter=/i.test(body)) {
    return { name, arguments: body === '' ? '{}' : body, state: isClosed ? 'as-written' : 'cut' };
  }
  const { values, areClosed } = parametersIn(body);
  const fields = [...values].map(
    ([key, text]) => `${JSON.stringify(key)}:${isJsonValue(text) ? text.trim() : JSON.stringify(text)}`,
  );
  return { name, arguments: `{${fields.join(',')}}`, state: isClosed && areClosed ? 'complete' : 'cut' };
}

const parameterStart = /^<parameter=([^>\s]+)>\n?/i;
/** Another parameter or the end follows the tag that closes a value, so a value can hold the tag itself. */
const parameterEnd = /\n?<\/parameter>\s*(?=<parameter=|$)/i;

function parametersIn(body: string): { readonly values: ReadonlyMap<string, string>; readonly areClosed: boolean } {
  const values = new Map<string, string>();
  let rest = body;
  while (rest !== '') {
    const start = parameterStart.exec(rest);
    const end = parameterEnd.exec(rest);
    if (start === null || end === null) return { values, areClosed: false };
    const value = rest.slice(start[0].length, end.index);
    // A parameter that was not closed before the next one began.
    if (count(value, /<parameter=/gi) > count(value, /<\/parameter>/gi)) return { values, areClosed: false };
    values.set(start[1] ?? '', value);
    rest = rest.slice(end.index + end[0].length);
  }
  return { values, areClosed: true };
}

function count(text: string, tag: RegExp): number {
  return text.match(tag)?.length ?? 0;
}

function isJsonValue(text: string): boolean {
  if (!/^\s*(?:[[{]|-?\d+(?:\.\d+)?\s*$|true\s*$|false\s*$|null\s*$)/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the arguments without the brace that closes the call around them. */
function withoutOuterBrace(text: string): string {
  const trimmed = text.trim();
  const opened = trimmed.split('{').length - trimmed.split('}').length;
  return opened < 0 && trimmed.endsWith('}') ? trimmed.slice(0, -1).trim() : trimmed;
}

/** A possible beginning of a call at the end of a text. */
const mayBegin = /(?:<[a-z_]{0,9}|`{1,3}[a-z_]{0,12})$/i;
/** No beginning of a call is longer. Unit: characters. */
const longestBeginning = 16;

/** Hands out the text of a streamed answer up to its first call. What may be a call waits until the answer is complete. */
export class StreamedText {
  #waiting = '';
  #handedOut = 0;
  #hasCall = false;

  /** Returns the text that can be shown now. */
  add(piece: string): string {
    this.#waiting += piece;
    // An answer that is JSON from its beginning may be nothing but a call.
    if (this.#hasCall || (this.#handedOut === 0 && /^\s*(?:[[{]|$)/.test(this.#waiting))) return '';
    const start = callStart.exec(this.#waiting)?.index;
    this.#hasCall = start !== undefined;
    const shown = withoutBeginning(this.#waiting.slice(0, start));
    this.#waiting = this.#waiting.slice(shown.length);
    this.#handedOut += shown.length;
    return shown;
  }

  /** Returns the part of the whole text that has not been shown. */
  rest(whole: string): string {
    return whole.slice(this.#handedOut);
  }
}

/** Without white space at the end, which is left out before a call. */
function withoutBeginning(text: string): string {
  const trimmed = text.trimEnd();
  const begun = mayBegin.exec(trimmed.slice(-longestBeginning));
  return begun === null ? trimmed : trimmed.slice(0, trimmed.length - begun[0].length).trimEnd();
}
