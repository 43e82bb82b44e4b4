import { unnamedToolName } from '../wire/received-call.js';

/** A call that a model wrote. `arguments` is the text that it wrote, which need not parse. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

/** An answer, divided. */
export interface ReadAnswer {
  /** What is no call. A beginning of the answer, if it has calls at its end alone. */
  readonly text: string;
  readonly calls: readonly WrittenCall[];
}

/** Where a call may begin: ours, that of models which learned another form, or a fence with JSON. */
export const callStart = /<tool_call\b|<function=|```(?:json|tool_call|tool_code)?\s*[[{]/i;

const fence = /^```[a-z_]*\s*([[{][\s\S]*?[\]}])\s*(?:```|$)/i;
const block = /^<tool_call\b[^>]{0,200}>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call\b)|$)/i;
const functionBlock = /^<function=([^>\s]*)>([\s\S]*?)(?:<\/function>|(?=<function=)|$)/i;
/** An answer with more is a model that repeats itself; the rest of it is text. */
const maxPlaces = 100;
/** Thinking that a server leaves in the answer. A call in it was only thought of. */
const thinking = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i;

/**
 * Reads the calls out of an answer: blocks that are closed, that were forgotten to be closed, or that were cut off. Other JSON is
 * a call only if it is of the form of a call and names one of the tools.
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
  if (marked !== null) return { calls: callsInBlock((marked[1] ?? '').trim()), length: marked[0].length };
  const functional = functionBlock.exec(text);
  if (functional !== null) {
    const [{ length }, name = '', body = ''] = functional;
    return tools.includes(name) ? { calls: [functionCall(name, body)], length } : undefined;
  }
  const fenced = fence.exec(text);
  const calls = fenced === null ? undefined : callsIn(fenced[1] ?? '', (name) => tools.includes(name));
  return fenced === null || calls === undefined ? undefined : { calls, length: fenced[0].length };
}

/** What stands in a block is meant as a call, whatever it is: the tool's error tells the model what is wrong with it. */
function callsInBlock(body: string): readonly WrittenCall[] {
  const functional = functionBlock.exec(body);
  if (functional !== null) return [functionCall(functional[1] ?? '', functional[2] ?? '')];
  const json = body.replace(/^```[a-z_]*\s*/i, '').replace(/\s*```$/, '');
  const calls = callsIn(json, () => true);
  if (calls !== undefined) return calls;
  const name = /"(?:name|tool|function)"\s*:\s*"([^"]+)"/.exec(json)?.[1];
  const begun = /"(?:arguments|parameters|input|args)"\s*:\s*([\s\S]*)$/.exec(json)?.[1];
  return [{ name: name ?? unnamedToolName, arguments: begun === undefined ? json : withoutOuterBrace(begun) }];
}

function callsIn(json: string, isTool: (name: string) => boolean): readonly WrittenCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const calls = all.map(callOf);
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
  return { name: named, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

/** `<parameter=path>a.ts</parameter>`, or JSON. A value that is JSON is read as such, because the form has no types. */
function functionCall(name: string, body: string): WrittenCall {
  const given = [...body.matchAll(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?(?:<\/parameter>|(?=<parameter=)|$)/gi)];
  if (given.length === 0) return { name: name || unnamedToolName, arguments: body.trim() === '' ? '{}' : body.trim() };
  const values = given.map(([, key = '', value = '']) => [key, valueOf(value)] as const);
  return { name: name || unnamedToolName, arguments: JSON.stringify(Object.fromEntries(values)) };
}

function valueOf(text: string): unknown {
  if (!/^\s*(?:[[{]|-?\d+(?:\.\d+)?\s*$|true\s*$|false\s*$|null\s*$)/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The arguments without the brace that closes the call around them. */
function withoutOuterBrace(text: string): string {
  const trimmed = text.trim();
  const opened = trimmed.split('{').length - trimmed.split('}').length;
  return opened < 0 && trimmed.endsWith('}') ? trimmed.slice(0, -1).trim() : trimmed;
}
