import { z } from 'zod';

/** Text, written out or repeated, so that a scenario can hold a large output. */
const textSchema = z.union([
  z.string(),
  z.strictObject({ text: z.string(), repeat: z.int().min(1).max(1_000_000).default(1) }),
]);

const callSchema = z.strictObject({
  tool: z.string().min(1).describe('The tool that the model calls.'),
  input: z
    .union([z.record(z.string(), z.unknown()), z.string()])
    .default({})
    .describe('The input; a text is sent as it is, and need not be JSON.'),
  id: z.string().min(1).optional().describe('The id of the call. Default: made.'),
});

/** The faults in which a model call ends. */
export const modelFaults = [
  'overflow',
  'answer-overflow',
  'timeout',
  'overloaded',
  'rate-limit',
  'quota',
  'malformed',
  'refusal',
  'invalid-request',
  'authentication',
  'kill',
] as const;

const replySchema = z.union([
  z.string().describe('A final answer.'),
  z.strictObject({ say: z.string().optional(), calls: z.array(callSchema).min(1) }).describe('Calls of tools.'),
  z.strictObject({ fault: z.enum(modelFaults) }).describe('The call of the model ends in a fault.'),
]);

const resultSchema = z.union([
  textSchema,
  z.strictObject({ error: z.string().describe('The tool fails with this message.') }),
  z.strictObject({ fault: z.enum(['timeout', 'kill']).describe('The tool never ends, or the process dies in it.') }),
]);

const toolSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  readOnly: z.boolean().optional(),
  repeatable: z.boolean().optional(),
  results: z.array(resultSchema).min(1).describe('The results of the calls, in order; the last one repeats.'),
});

const countSchema = z.int().min(0).describe('How many there are, exactly. Default: at least one.');

const eventExpectation = z.strictObject({
  type: z.string().describe('The type of the events: condensation, observation, action, message, …'),
  contains: z.string().optional().describe('A text in the event.'),
  with: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Fields that the event has; objects are compared in part.'),
  count: countSchema.optional(),
});

const messageExpectation = z.strictObject({
  request: z
    .union([z.int().min(1), z.literal('last')])
    .default('last')
    .describe('The request to the model, from 1.'),
  role: z.enum(['system', 'user', 'assistant', 'tool']).optional(),
  contains: z.string().optional().describe('A text in the message.'),
  count: countSchema.optional(),
});

const outcomeExpectation = z.strictObject({
  status: z
    .enum(['finished', 'paused', 'waiting-for-confirmation', 'stuck', 'incomplete', 'killed', 'error'])
    .optional(),
  answer: z.string().optional().describe('A text in the final answer.'),
  error: z.string().optional().describe('The code of the error in which the run ends, or of its cause.'),
  iterations: z.int().min(0).optional(),
});

const expectationSchema = z.strictObject({
  outcome: outcomeExpectation.optional(),
  events: z.array(eventExpectation).optional().describe('Events of the whole log so far.'),
  order: z.array(z.string()).optional().describe('Types of events in this order; others may stand between them.'),
  messages: z.array(messageExpectation).optional().describe('Messages that the model was sent.'),
  requests: z.int().min(0).optional().describe('How often the model was called so far.'),
});

const turnSchema = z.strictObject({
  user: textSchema.optional().describe('What the user says. Default: nothing; the run goes on.'),
  condense: z.boolean().optional().describe('The user asks for a condensation before the run.'),
  run: z.boolean().default(true).describe('Whether the agent runs.'),
  model: z.array(replySchema).default([]).describe('The replies of the model in this turn, in order.'),
  expect: expectationSchema.optional(),
});

/** The schema of a scenario file. */
export const scenarioSchema = z
  .strictObject({
    name: z.string().min(1).describe('What the scenario shows.'),
    system: z.string().optional().describe('The system prompt.'),
    condenser: z
      .looseObject({ type: z.string().optional(), use: z.string().optional() })
      .optional()
      .describe(
        'A condenser: { type: … } with options of one of ours, or { use: a package, options: … }. Default: none.',
      ),
    relevance: z.boolean().default(false).describe('Adds the relevance tool and its condenser.'),
    summaries: z.array(z.string()).optional().describe('The replies of the condenser’s model; the last one repeats.'),
    contextWindow: z.int().min(1).optional().describe('The window of the model. Unit: tokens.'),
    maxIterations: z.int().min(1).default(50).describe('The most steps of a run.'),
    tools: z.array(toolSchema).default([]),
    turns: z.array(turnSchema).min(1),
    expect: expectationSchema.optional().describe('What holds after the last turn.'),
  })
  .describe('A scripted conversation of an agent, with what is expected of it.');

/** A scenario. */
export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioTurn = Scenario['turns'][number];
export type ScenarioReply = ScenarioTurn['model'][number];
export type ScenarioTool = Scenario['tools'][number];
export type ScenarioText = z.output<typeof textSchema>;
export type Expectation = z.output<typeof expectationSchema>;

/** Returns the JSON schema of a scenario file, for editors. */
export function scenarioJsonSchema(): object {
  return { ...z.toJSONSchema(scenarioSchema, { io: 'input' }), title: 'Palimpsest scenario' };
}
