import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { AnthropicReply, Faults, OpenAIReply, ProviderServer } from '@palimpsest/provider-servers';
import { isRecord } from '@palimpsest/llm-adapters/wire';
import { bodyOf } from './api.js';
import type { Asker, Block, Body, Message, Tool } from './exchange.js';
import { keyOf, middleOf, partName, taskMark } from './place.js';

/** An act of the model in a step, in no host's words. */
export type Act =
  | { readonly act: 'read'; readonly file: string; readonly again?: Again | undefined }
  | { readonly act: 'delegate'; readonly errand: string }
  /** Loads tools that the host declares later. */
  | { readonly act: 'search-tools' }
  | { readonly act: 'recall'; readonly file: string };

/** A look of a model that does not repeat a call exactly. `count` counts its looks, from 1; `line` is what it looks for, from 0. */
export interface Again {
  readonly count: number;
  readonly line: number;
}

/** A call of a host's tool. */
export interface HostCall {
  readonly name: string;
  readonly input: object;
  /** The type of the item of Responses that the call is. @defaultValue `function_call` */
  readonly itemType?: string;
}

/** An event between the agent and an answer: a fault of the server, or a refusal in the provider's words. */
export type Trouble = 'overloaded' | 'rate-limit' | 'server-error' | 'stream-error' | 'too-long' | 'gateway-crash';

/** A step of the main agent. */
export interface Step {
  readonly acts: readonly Act[];
  /** The number of a file of which the model needs the key. A needy model looks for it again if the request does not hold it. @defaultValue none */
  readonly needs?: number | undefined;
  /** It needs a name in the middle of that file, in the place of the key. @defaultValue false */
  readonly needsMiddle?: boolean | undefined;
  /** Before the answer is given. @defaultValue none */
  readonly trouble?: Trouble | undefined;
}

/** Begins the prompt of a sub-agent. */
const errandMark = 'ERRAND';

/** Steps of a sub-agent before it answers. */
const errandSteps = 4;

/** The way in which the model looks again for what it needs and does not see, by the same calls or by others. */
export type Need = 'none' | 'exact' | 'varying';

/** Options of {@link scriptedModel}. */
export interface ModelOptions {
  /** The provider whose server stands before it. @defaultValue anthropic */
  readonly provider?: Provider | undefined;
  /** A call of the host for an act; undefined where it has no tool for it. */
  readonly callOf: (act: Act, tools: readonly Tool[]) => HostCall | undefined;
  readonly need: Need;
  /** A list longer than this does not fit, once, where the script says so. Unit: characters. @defaultValue 160,000 */
  readonly tooLongFrom?: number | undefined;
  /** Kills the gateway between the agent and the model. @defaultValue there is none */
  readonly crash?: (() => Promise<void>) | undefined;
}

export type Provider = 'anthropic' | 'openai';

/** A model that follows a script, behind a server that enforces what the provider does. */
export interface ScriptedModel {
  readonly server: ProviderServer;
  /** Steps of the main agent that are answered. */
  readonly stepsDone: number;
  /** Keys that the model had to look for again, and those that it did not find so. */
  readonly looks: number;
  readonly lost: number;
  /** Gives the steps of the next invocation. After them, or when `endsAt` says so, the model ends with words. */
  begin(steps: readonly Step[], endsAt?: (body: Body) => boolean): void;
  /** True if the model ended before the last step. */
  readonly hasStepsLeft: boolean;
}

/** Starts a model whose main agent follows steps; sub-agents, summarisers and makers of titles get answers of their own. */
export async function scriptedModel({
  provider = 'anthropic',
  callOf,
  need,
  crash,
  tooLongFrom = 160_000,
}: ModelOptions): Promise<ScriptedModel> {
  let steps: readonly Step[] = [];
  let next = 0;
  let done = 0;
  let calls = 0;
  let looks = 0;
  let lost = 0;
  let lookedFor: number | undefined;
  let troubled: Step | undefined;
  let wasTooLong = false;
  let endsAt: (body: Body) => boolean = () => false;

  const answerOf = (acts: readonly Act[], tools: readonly Tool[], words: string): Answer => {
    const made = acts.flatMap((act) => callOf(act, tools) ?? []);
    if (made.length === 0) return { words, calls: [] };
    const ids = made.map((call) => ({ ...call, id: `toolu_${calls++}` }));
    return { words: `${words} I look further.`, calls: ids };
  };

  const mainAnswer = async (body: Body): Promise<Answer> => {
    const step = steps[next];
    if (step === undefined || endsAt(body)) return { words: `This is what I found so far (${done}).`, calls: [] };
    if (step.trouble === 'too-long' && !wasTooLong && JSON.stringify(body.messages).length > tooLongFrom) {
      wasTooLong = true;
      return { error: { status: 400, type: 'invalid_request_error', ...tooLong[provider] } };
    }
    if (step.trouble === 'gateway-crash' && crash !== undefined && troubled !== step) {
      troubled = step;
      await crash();
      return { words: 'Nobody reads this.', calls: [] };
    }
    const tools = body.tools ?? [];
    if (need !== 'none' && step.needs !== undefined && !holds(body, step)) {
      if (lookedFor !== step.needs) {
        lookedFor = step.needs;
        looks++;
        const file = partName(step.needs);
        const canRecall = callOf({ act: 'recall', file }, tools) !== undefined;
        const again = need === 'varying' ? { count: looks, line: middleOf(step.needs).line } : undefined;
        return answerOf(
          [canRecall ? { act: 'recall', file } : { act: 'read', file, again }],
          tools,
          'I need this again.',
        );
      }
      lost++;
    }
    next++;
    done++;
    return answerOf(step.acts, tools, `Step ${done} shows one more caller that rounds.`);
  };

  const canonical = (raw: unknown): Body =>
    bodyOf(provider === 'anthropic' ? 'messages' : isRecord(raw) && 'input' in raw ? 'responses' : 'chat', raw);
  const faults = ((raw: unknown) => {
    const step = steps[next];
    const trouble = step?.trouble;
    if (trouble === undefined || trouble === 'too-long' || trouble === 'gateway-crash') return undefined;
    if (troubled === step || askerOf(canonical(raw)) !== 'main') return undefined;
    troubled = step;
    if (trouble === 'stream-error') return { fault: trouble, afterEvents: 2 };
    return trouble === 'server-error' ? { fault: trouble } : { fault: trouble, retryAfterSeconds: 1 };
  }) satisfies Faults;
  const reply = (raw: unknown): Answer | Promise<Answer> => {
    const body = canonical(raw);
    switch (askerOf(body)) {
      case 'main':
        return mainAnswer(body);
      case 'errand': {
        const answered = (body.messages ?? []).filter(({ role }) => role === 'assistant').length;
        const acts: readonly Act[] = answered < errandSteps ? [{ act: 'read', file: partName(100 + answered) }] : [];
        return answerOf(acts, body.tools ?? [], 'The errand is done: nothing rounds there.');
      }
      case 'summariser':
        return { words: summary, calls: [] };
      case 'other':
        return { words: 'Rounding of invoices', calls: [] };
    }
  };
  const server =
    provider === 'anthropic'
      ? await anthropicServer({ faults, reply: async (raw) => anthropicReply(await reply(raw)) })
      : await openaiServer({ faults, reply: async (raw) => openaiReply(await reply(raw)) });
  return {
    server,
    get stepsDone() {
      return done;
    },
    get looks() {
      return looks;
    },
    get lost() {
      return lost;
    },
    get hasStepsLeft() {
      return next < steps.length;
    },
    begin: (given, ends = () => false) => {
      steps = given;
      next = 0;
      endsAt = ends;
    },
  };
}

function holds({ messages }: Body, { needs = 0, needsMiddle = false }: Step): boolean {
  return JSON.stringify(messages).includes(needsMiddle ? middleOf(needs).name : keyOf(needs));
}

/** The provider's words for a prompt that does not fit. */
const tooLong = {
  anthropic: { message: 'prompt is too long: 1000123 tokens > 1000000 maximum' },
  openai: {
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
};

/** An answer in no provider's form: calls after a thought, else words; or a refusal. */
type Answer =
  | { readonly words: string; readonly calls: readonly (HostCall & { readonly id: string })[] }
  | Extract<AnthropicReply & OpenAIReply, { readonly error: unknown }>;

function anthropicReply(answer: Answer): AnthropicReply {
  if ('error' in answer) return answer;
  const { words, calls } = answer;
  if (calls.length === 0) return { content: [{ type: 'text', text: words }] };
  const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));
  return { content: [{ type: 'thinking', thinking: words, signature: '' }, ...uses] };
}

function openaiReply(answer: Answer): OpenAIReply {
  if ('error' in answer) return answer;
  const { words, calls } = answer;
  if (calls.length === 0) return { message: { content: words } };
  if (calls.some(({ itemType }) => itemType !== undefined)) {
    const items = calls.map(({ id, itemType, input }) => ({
      ...{ type: itemType, call_id: id, execution: 'client', status: 'completed', arguments: input },
    }));
    return { output: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: words }] }, ...items] };
  }
  const made = calls.map(({ id, name, input }) => ({
    ...{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
  }));
  return { message: { content: null, reasoning_content: words, tool_calls: made } };
}

/** The prompt of a sub-agent. */
export function errandPrompt(number: number): string {
  return `${errandMark}-${number}: read four files and say which of them round.`;
}

/** Says who asked: by its tools, its first prompt, and the request of a host's own summariser. */
export function askerOf({ tools = [], messages = [] }: Body): Asker {
  const [first] = messages;
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  const last = messages.findLast(({ role }) => role === 'user');
  const asked = last === undefined ? '' : lastWordsOf(last);
  if (tools.length === 0 && /\btitle\b/i.test(asked)) return 'other';
  if (summaryRequest.test(asked)) return 'summariser';
  if (tools.length === 0 || first === undefined) return 'other';
  const words = messages
    .slice(0, answered === -1 ? undefined : answered)
    .map(wordsOf)
    .join('\n');
  return words.includes(`${errandMark}-`) && !words.includes(taskMark) ? 'errand' : 'main';
}

const summaryRequest =
  /\b(?:create|write|provide|produce|generate|update|summari[sz]e)\b[^.]{0,120}\b(?:summary|conversation)\b/i;

/** Returns the text of a message. */
export function wordsOf({ content }: Message): string {
  return typeof content === 'string' ? content : content.map((block: Block) => block.text ?? '').join('\n');
}

/** A prompt stands behind what the host puts before it. */
function lastWordsOf({ content }: Message): string {
  return typeof content === 'string' ? content : (content.at(-1)?.text ?? '');
}

/** The answer of a host's own summariser. Unit: about 600 tokens. */
const summary =
  `<summary>\nThe task is ${taskMark}: find why invoices are rounded twice.\n` +
  `${'The agent read the callers one by one, and no part so far rounds twice. '.repeat(33)}\n</summary>`;
