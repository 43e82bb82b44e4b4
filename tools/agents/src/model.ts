import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicReply, Faults, ProviderServer } from '@palimpsest/provider-servers';
import type { Asker, Block, Body, Message, Tool } from './exchange.js';
import { keyOf, partName, taskMark } from './place.js';

/** An act of the model in a step, in no host's words. */
export type Act =
  | { readonly act: 'read'; readonly file: string }
  | { readonly act: 'delegate'; readonly errand: string }
  | { readonly act: 'recall'; readonly file: string };

/** A call of a host's tool. */
export interface HostCall {
  readonly name: string;
  readonly input: object;
}

/** An event between the agent and an answer: a fault of the server, or a refusal in the provider's words. */
export type Trouble = 'overloaded' | 'server-error' | 'stream-error' | 'too-long';

/** A step of the main agent. */
export interface Step {
  readonly acts: readonly Act[];
  /** The number of a file of which the model needs the key. A needy model looks for it again if the request does not hold it. @defaultValue none */
  readonly needs?: number | undefined;
  /** Before the answer is given. @defaultValue none */
  readonly trouble?: Trouble | undefined;
}

/** Begins the prompt of a sub-agent. */
const errandMark = 'ERRAND';

/** Steps of a sub-agent before it answers. */
const errandSteps = 4;

/** Options of {@link scriptedModel}. */
export interface ModelOptions {
  /** A call of the host for an act; undefined where it has no tool for it. */
  readonly callOf: (act: Act, tools: readonly Tool[]) => HostCall | undefined;
  readonly isNeedy: boolean;
}

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
export async function scriptedModel({ callOf, isNeedy }: ModelOptions): Promise<ScriptedModel> {
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

  const answerOf = (acts: readonly Act[], tools: readonly Tool[], words: string): AnthropicReply => {
    const made = acts.flatMap((act) => callOf(act, tools) ?? []);
    const uses = made.map(({ name, input }) => ({ type: 'tool_use', id: `toolu_${calls++}`, name, input }));
    if (uses.length === 0) return { content: [{ type: 'text', text: words }] };
    return { content: [{ type: 'thinking', thinking: `${words} I look further.`, signature: '' }, ...uses] };
  };

  const mainAnswer = (body: Body): AnthropicReply => {
    const step = steps[next];
    if (step === undefined || endsAt(body))
      return { content: [{ type: 'text', text: `This is what I found so far (${done}).` }] };
    if (step.trouble === 'too-long' && !wasTooLong && JSON.stringify(body.messages).length > tooLongFrom) {
      wasTooLong = true;
      return { error: { status: 400, type: 'invalid_request_error', message: tooLong } };
    }
    const tools = body.tools ?? [];
    if (isNeedy && step.needs !== undefined && !JSON.stringify(body.messages).includes(keyOf(step.needs))) {
      if (lookedFor !== step.needs) {
        lookedFor = step.needs;
        looks++;
        const file = partName(step.needs);
        const canRecall = callOf({ act: 'recall', file }, tools) !== undefined;
        return answerOf([{ act: canRecall ? 'recall' : 'read', file }], tools, 'I need this again.');
      }
      lost++;
    }
    next++;
    done++;
    return answerOf(step.acts, tools, `Step ${done} shows one more caller that rounds.`);
  };

  const server = await anthropicServer({
    faults: ((body: unknown) => {
      const step = steps[next];
      if (
        step?.trouble === undefined ||
        step.trouble === 'too-long' ||
        troubled === step ||
        askerOf(body as Body) !== 'main'
      )
        return undefined;
      troubled = step;
      if (step.trouble === 'stream-error') return { fault: 'stream-error', afterEvents: 2 };
      return step.trouble === 'overloaded' ? { fault: step.trouble, retryAfterSeconds: 1 } : { fault: step.trouble };
    }) satisfies Faults,
    reply: (body: Body) => {
      switch (askerOf(body)) {
        case 'main':
          return mainAnswer(body);
        case 'errand': {
          const answered = (body.messages ?? []).filter(({ role }) => role === 'assistant').length;
          const acts: readonly Act[] = answered < errandSteps ? [{ act: 'read', file: partName(100 + answered) }] : [];
          return answerOf(acts, body.tools ?? [], 'The errand is done: nothing rounds there.');
        }
        case 'summariser':
          return { content: [{ type: 'text', text: summary }] };
        case 'other':
          return { content: [{ type: 'text', text: 'Rounding of invoices' }] };
      }
    },
  });
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

/** A list longer than this does not fit, once. Unit: characters. */
const tooLongFrom = 160_000;

/** The provider's words for a prompt that does not fit. */
const tooLong = 'prompt is too long: 1000123 tokens > 1000000 maximum';

/** The prompt of a sub-agent. */
export function errandPrompt(number: number): string {
  return `${errandMark}-${number}: read four files and say which of them round.`;
}

/** Says who asked: by its tools, its first prompt, and the request of a host's own summariser. */
export function askerOf({ tools = [], messages = [] }: Body): Asker {
  const [first] = messages;
  const last = messages.findLast(({ role }) => role === 'user');
  const asked = last === undefined ? '' : lastWordsOf(last);
  if (tools.length === 0 && /\btitle\b/i.test(asked)) return 'other';
  if (summaryRequest.test(asked)) return 'summariser';
  if (tools.length === 0 || first === undefined) return 'other';
  const words = wordsOf(first);
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
