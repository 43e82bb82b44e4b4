import type { Condenser } from '@palimpsest/view';
import { z } from 'zod';
import { amortizedForgettingCondenser } from '../amortized-forgetting/amortized-forgetting.js';
import type { AmortizedForgettingOptions } from '../amortized-forgetting/amortized-forgetting.js';
import { browserOutputCondenser } from '../browser-output/browser-output.js';
import type { BrowserOutputOptions } from '../browser-output/browser-output.js';
import { conversationWindowCondenser } from '../conversation-window/conversation-window.js';
import type { ConversationWindowOptions } from '../conversation-window/conversation-window.js';
import { extractiveSummaryCondenser } from '../extractive-summary/extractive-summary.js';
import type { ExtractiveSummaryOptions } from '../extractive-summary/extractive-summary.js';
import { llmAttentionCondenser } from '../llm-attention/llm-attention.js';
import type { LLMAttentionOptions } from '../llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from '../llm-summarizing/llm-summarizing.js';
import type { LLMSummarizingOptions } from '../llm-summarizing/llm-summarizing.js';
import { noOpCondenser } from '../no-op/no-op.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import type { ObservationMaskingOptions } from '../observation-masking/observation-masking.js';
import { recentEventsCondenser } from '../recent-events/recent-events.js';
import type { RecentEventsOptions } from '../recent-events/recent-events.js';
import { slidingWindowCondenser } from '../sliding-window/sliding-window.js';
import type { SlidingWindowOptions } from '../sliding-window/sliding-window.js';
import { structuredSummaryCondenser } from '../structured-summary/structured-summary.js';
import type { StructuredSummaryOptions } from '../structured-summary/structured-summary.js';

/** A type of condenser that a configuration may name. */
export interface CondenserKind {
  /** The options, as a configuration writes them. With `llm` among them it needs a model. */
  readonly schema: z.ZodObject;
  create(options: Readonly<Record<string, unknown>>): Condenser;
}

/** What stands in no configuration, because it is code. */
type Code = 'createEvent' | 'summarizer' | 'compactor';
/** One schema for each option of a factory that is data, so that none is forgotten here. */
type Shape<Options> = { readonly [Name in Exclude<keyof Options, Code>]-?: z.ZodType };

/** Names of data that become code on the way: `llm` names a model, `promptFile` is read into `prompt`. */
const promptOptions = {
  prompt: text('must be the text of a template'),
  promptFile: text('must be the name of a file with a template'),
};

const llm = z.string({ error: 'must be the name of one of the host’s models' }).min(1, 'must not be empty').optional();
const toolNames = z.array(z.string().min(1), { error: 'must be a list of tool names' }).readonly();
const yesOrNo = z.boolean({ error: 'must be true or false' }).optional();

const ofModel = {
  llm,
  ...promptOptions,
  maxOutputTokens: whole(1),
  timeoutMs: whole(1),
  maxEventCharacters: whole(100),
};
const sizes = { maxSize: whole(4), keepFirst: whole(0), maxTokens: whole(1) };
const ofSummary = {
  ...ofModel,
  ...sizes,
  maxSummaryTokens: whole(1),
  hardResetTries: whole(1),
  minimumProgress: z.number({ error: 'must be a number between 0 and 1' }).gt(0).lt(1).optional(),
  background: yesOrNo,
};
const ofMasks = {
  attentionWindow: whole(0),
  minSavedTokens: whole(1),
  rewritesEveryStep: yesOrNo,
  placeholder: text('must be the text that stands in the place of what is masked'),
};

/** Every type but `pipeline`, whose options are condensers. */
export const condenserKinds = {
  noOp: kind<object>({}, noOpCondenser),
  recentEvents: kind<RecentEventsOptions>({ keepFirst: whole(0), maxEvents: whole(1) }, recentEventsCondenser),
  observationMasking: kind<ObservationMaskingOptions>(
    { ...ofMasks, maskArguments: yesOrNo },
    observationMaskingCondenser,
  ),
  browserOutput: kind<BrowserOutputOptions>({ ...ofMasks, toolNames: toolNames.optional() }, browserOutputCondenser),
  amortizedForgetting: kind<AmortizedForgettingOptions>({ ...sizes, maxSize: whole(2) }, amortizedForgettingCondenser),
  conversationWindow: kind<ConversationWindowOptions>({}, conversationWindowCondenser),
  extractiveSummary: kind<ExtractiveSummaryOptions>(
    { ...sizes, maxSummaryTokens: whole(1) },
    extractiveSummaryCondenser,
  ),
  llmSummarizing: kind<LLMSummarizingOptions>(ofSummary, llmSummarizingCondenser),
  structuredSummary: kind<StructuredSummaryOptions>(ofSummary, structuredSummaryCondenser),
  llmAttention: kind<LLMAttentionOptions>({ ...ofModel, ...sizes, background: yesOrNo }, llmAttentionCondenser),
  slidingWindow: kind<SlidingWindowOptions>(
    {
      llm,
      ...promptOptions,
      compactionInterval: whole(1),
      overlapSize: whole(0),
      tokenThreshold: whole(1),
      eventRetentionSize: whole(0),
      maxSummaries: whole(1),
      maxSummaryTokens: whole(1),
      timeoutMs: whole(1),
      finishTools: toolNames.optional(),
      background: yesOrNo,
    },
    slidingWindowCondenser,
  ),
} as const satisfies Readonly<Record<string, CondenserKind>>;

function kind<Options extends object>(shape: Shape<Options>, create: (options: Options) => Condenser): CondenserKind {
  return {
    schema: z.strictObject(shape),
    // The schema has seen them, and the factory checks what goes beyond it.
    create: (options) => create(options as Options),
  };
}

function whole(atLeast: number) {
  const error = `must be a whole number of at least ${atLeast}`;
  return z.int({ error }).min(atLeast, { error }).optional();
}

function text(error: string) {
  return z.string({ error }).min(1, { error: 'must not be empty' }).optional();
}
