import { usageSchema } from '@palimpsest/events';
import type { Immutable } from '@palimpsest/events';
import { z } from 'zod';

/** The version of the lines of `--output-format stream-json`. New types and fields do not raise it. */
export const streamVersion = 1;

const tokens = z.number().min(0).describe('Unit: tokens.');
const costUsd = z.number().min(0).optional().describe('Unit: USD. Absent if the prices are not known.');
const estimated = z
  .boolean()
  .optional()
  .describe('True if the provider did not count all of it, as of an answer that was interrupted.');
const id = z.string().describe('The event in the log.');
const call = z.object({
  name: z.string(),
  arguments: z.string().describe('As the model wrote them: JSON, or what was to be JSON.'),
});

const init = z.object({
  type: z.literal('init'),
  version: z.literal(streamVersion),
  session: z.string().describe('For `palimpsest resume`.'),
  isResumed: z.boolean(),
  workspace: z.string(),
  model: z.string(),
  log: z.string().describe('The file of the event log, which holds everything.'),
  tools: z.array(z.string()),
  notes: z.array(z.string()).describe('What the user should know before the run: no sandbox, for instance.'),
  cutOff: z.array(call).describe('Calls that an earlier run began and whose results nobody knows.'),
});

const message = z.object({
  type: z.literal('message'),
  id,
  from: z.enum(['user', 'model', 'framework']),
  text: z.string(),
  isCutOff: z.boolean().optional().describe('The answer ended here before it was complete.'),
});

const delta = z.object({
  type: z.literal('delta'),
  text: z
    .string()
    .describe('A piece of an answer, as it arrives; the message follows when it is complete. With --deltas.'),
});

const toolCall = call.extend({
  type: z.literal('tool-call'),
  id,
  summary: z.string().optional().describe("The model's own summary of the call."),
  risk: z.string().optional(),
});

const toolResult = z.object({
  type: z.literal('tool-result'),
  id,
  call: z.string().optional().describe('The id of the tool call.'),
  name: z.string(),
  status: z.enum(['ok', 'failed', 'denied', 'interrupted']),
  text: z.string().describe('What the model reads.'),
  exitStatus: z.number().optional().describe('Of a command.'),
});

const condensation = z.object({
  type: z.literal('condensation'),
  id,
  condenser: z.string().optional(),
  reason: z.string().optional(),
  tokensBefore: tokens,
  tokensAfter: tokens,
  forgotten: z.number().describe('Events that the model no longer reads. The log keeps them.'),
  masked: z.number().describe('Results and arguments of which the model reads a note.'),
  summary: z.string().optional(),
  summaryTokens: tokens.optional(),
});

const condensationRequest = z.object({ type: z.literal('condensation-request'), id, reason: z.string().optional() });

const condensationAttempt = z.object({
  type: z.literal('condensation-attempt'),
  id,
  condenser: z.string(),
  outcome: z.string(),
  reason: z.string(),
});

const retry = z.object({
  type: z.literal('retry'),
  attempt: z.number().describe('The one that failed, counted from 1.'),
  attempts: z.number().optional().describe('Absent if only the time is limited.'),
  remainingMs: z
    .number()
    .optional()
    .describe('How long it is tried after this failure. Unit: milliseconds. Absent if only the number is limited.'),
  delayMs: z.number().describe('The wait before the next. Unit: milliseconds.'),
  error: z.string(),
});

const note = z.object({
  type: z.literal('note'),
  text: z.string().describe('What the user should know since the start: an MCP server ended, for instance.'),
});

const usage = z.object({
  type: z.literal('usage'),
  id,
  model: z.string(),
  purpose: z.string().optional().describe('`agent`, or the condenser that asked.'),
  usage: usageSchema,
  usageIsEstimated: estimated,
  costUsd,
});

const result = z.object({
  type: z.literal('result'),
  version: z.literal(streamVersion),
  status: z.enum(['done', 'stuck', 'limit', 'refused', 'waiting', 'incomplete', 'denied', 'interrupted', 'error']),
  exitStatus: z.int(),
  session: z.string(),
  answer: z.string().optional(),
  finishReason: z
    .string()
    .optional()
    .describe(
      'Why the last answer ended, if the model did not end it itself: `length`, `interrupted`, `paused`, `other`.',
    ),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  waiting: z.array(call).optional().describe('Calls that wait for `palimpsest approve` or `palimpsest deny`.'),
  steps: z.int().describe('Model calls of this run; `usage` and `costUsd` include those of condensers.'),
  condensations: z.int().describe('Of this run.'),
  usage: usageSchema,
  usageIsEstimated: estimated,
  costUsd,
  unpriced: z.array(z.string()).optional().describe('The models whose prices are not known, if `costUsd` is absent.'),
  saved: z
    .object({ tokens: z.number(), bill: z.number() })
    .describe('What condensing has saved in this session, as shares from 0 to 1; negative if it cost more.'),
  reread: z
    .object({ calls: z.int(), tokens: z.int(), bill: z.number() })
    .describe(
      'What was read again in this session after condensing had hidden it: the calls, their results in tokens, and the share of the bill, from 0 to 1.',
    ),
  log: z.string(),
});

/** The lines of `--output-format stream-json` by their type. */
export const streamEventSchema = z.discriminatedUnion('type', [
  init,
  message,
  delta,
  toolCall,
  toolResult,
  condensation,
  condensationRequest,
  condensationAttempt,
  retry,
  note,
  usage,
  result,
]);

/** A line of `--output-format stream-json`. */
export type StreamEvent = Immutable<z.infer<typeof streamEventSchema>>;
/** The lines of one type. */
export type StreamEventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;
/** A model call that is tried again. */
export type RetryEvent = StreamEventOf<'retry'>;
/** The first line. */
export type InitEvent = StreamEventOf<'init'>;
/** The last line, which is all that `--output-format json` prints. */
export type ResultEvent = StreamEventOf<'result'>;

/** Returns the JSON schema of one line. A line of a type that this version does not know passes, and so do fields that it does not know. */
export function streamJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, anyOf, oneOf, ...rest } = z.toJSONSchema(streamEventSchema, { io: 'input' });
  const types = streamEventSchema.options.map((option) => option.shape.type.value);
  const unknown = {
    type: 'object',
    properties: { type: { type: 'string', pattern: `^(?!(${types.join('|')})$)` } },
    required: ['type'],
    description: 'A type of a later version.',
  };
  return {
    $schema,
    $id: `https://palimpsest-ts.github.io/schemas/stream-json-${streamVersion}.json`,
    title: 'A line of palimpsest --output-format stream-json',
    anyOf: [...(anyOf ?? oneOf ?? []), unknown],
    ...rest,
  };
}
