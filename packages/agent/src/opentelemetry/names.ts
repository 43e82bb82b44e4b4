/**
 * The names of the GenAI semantic conventions, as of their release 0.1.0, and ours (`palimpsest.*`) for what they lack.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export const names = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  requestMaxTokens: 'gen_ai.request.max_tokens',
  outputType: 'gen_ai.output.type',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  modality: 'gen_ai.token.modality',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  // Content, only where it is asked for.
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  toolDescription: 'gen_ai.tool.description',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  errorType: 'error.type',

  /** `agent`, `aside`, `condenser`: who asked the model. */
  purpose: 'palimpsest.purpose',
  /** The provider reported no usage; the counts are ours. */
  usageIsEstimated: 'palimpsest.usage.estimated',
  /** Unit: USD. */
  cost: 'palimpsest.cost_usd',
  /** The user ended the work: no error. */
  interrupted: 'palimpsest.interrupted',
  runOutcome: 'palimpsest.run.outcome',
  iterations: 'palimpsest.run.iterations',
  condensations: 'palimpsest.run.condensations',
  waitingActions: 'palimpsest.run.waiting_actions',
  stuckPattern: 'palimpsest.run.stuck_pattern',
  /** The status in which the run before left the conversation, on the link to that run. */
  earlierStatus: 'palimpsest.earlier.status',
  /** `request` on a link to whoever asked a runner for the run. */
  linkType: 'palimpsest.link.type',
  stepOutcome: 'palimpsest.step.outcome',
  actionId: 'palimpsest.action.id',
  condenser: 'palimpsest.condensation.condenser',
  condensationOutcome: 'palimpsest.condensation.outcome',
  condensationId: 'palimpsest.condensation.id',
  reason: 'palimpsest.condensation.reason',
  tokensBefore: 'palimpsest.condensation.tokens_before',
  tokensAfter: 'palimpsest.condensation.tokens_after',
  savedTokens: 'palimpsest.condensation.saved_tokens',
  forgotten: 'palimpsest.condensation.forgotten',
  masked: 'palimpsest.condensation.masked',
  summarized: 'palimpsest.condensation.summarized',
  background: 'palimpsest.condensation.background',
  condensationCost: 'palimpsest.condensation.cost_usd',
  attempt: 'palimpsest.condensation.attempt',
  attemptOutcome: 'palimpsest.condensation.attempt.outcome',
  retry: 'palimpsest.retry',
  retryAttempt: 'palimpsest.retry.attempt',
  /** Unit: milliseconds. */
  retryDelay: 'palimpsest.retry.delay_ms',
  restart: 'palimpsest.restart',
  rateWait: 'palimpsest.rate_limit.wait',
  /** At the least. Unit: milliseconds. */
  rateWaitMs: 'palimpsest.rate_limit.wait_ms',
  /** The calls of the process that come first. */
  rateWaitAhead: 'palimpsest.rate_limit.ahead',
} as const;
