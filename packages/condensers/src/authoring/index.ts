// The definition of a condenser, and its options by schema.
export type { CondenserDefinition, CondenserHost, CondenserSpec } from './definition/define-condenser.js';
export {
  assertCreateEvent,
  createCondenser,
  defineCondenser,
  isCondenserDefinition,
} from './definition/define-condenser.js';
export type { CondenserModelErrorOptions, ModelAccount, ModelFailureKind } from './definition/errors.js';
export { CondenserModelError, CondenserNotFoundError, InvalidCondenserConfigError } from './definition/errors.js';
export type { OptionsSchema } from './definition/options.js';
export { assertOptionsObject, checkedOptions } from './definition/options.js';
export type { OptionsCheck, SizeOptions } from './definition/option-schemas.js';
export {
  defaultKeepFirst,
  flag,
  fraction,
  nonBlankText,
  optionGroup,
  optionIssue,
  optionsOf,
  roomBehindFirst,
  sizeOptions,
  toolNameList,
  wholeNumber,
} from './definition/option-schemas.js';
export { areCondensers, assertResult, contextOf, withStage } from './definition/stages.js';

// The rolling base: when to act, what to forget, and what to report.
export type { Account, Reason, Requirement, RequirementLimits } from './rolling/requirement.js';
export { accountingOf, isHalfFull, requirementOf } from './rolling/requirement.js';
export type { PromptCount, PromptCounts } from './rolling/calibration.js';
export { calibrationOf, promptCounts } from './rolling/calibration.js';
export type { FailedCall, RollingOptions } from './rolling/rolling-condenser.js';
export {
  eventCount,
  isBackingOff,
  isKnownUnavailable,
  isStatedUnavailable,
  reportAttempt,
  reportFailedCall,
  rollingCondenser,
} from './rolling/rolling-condenser.js';
export type { EventRange, ForgetUnitsOptions, Forgotten } from './rolling/selection.js';
export {
  assertProgress,
  defaultMinProgress,
  forgetUnits,
  isProgress,
  selectMiddle,
  strictestTail,
  tailForTokens,
} from './rolling/selection.js';

// A condenser that is told when to act.
export type { Reducer, Reduction } from '@palimpsest/view';
export { isReducer } from '@palimpsest/view';

// Masks.
export type { AttentionWindow, MaskRule } from './masks/masks.js';
export { leastSavedByOne } from './masks/masks.js';
export type { MaskingOptions, MaskOptions } from './masks/masking-condenser.js';
export { batchesOrEveryStep, maskingCondenser, maskOptions } from './masks/masking-condenser.js';

// Model calls.
export type { AskOptions, Deadline, ModelCallOptions } from './model/call-model.js';
export { accountOf, callModel, modelCallOptions, textOf, timeoutMs, withinDeadline } from './model/call-model.js';
export type { AnswerWay, ObjectQuestion, ObjectRequest, StructuredAnswer } from './model/answers.js';
export { instructionFor, questionLength, structuredAnswer, valueOf, wordsOf } from './model/answers.js';
export type { BackgroundOptions } from './model/background.js';
export { backgroundCondenser } from './model/background.js';
export type {
  AgentConversation,
  Prompt,
  PromptEvent,
  PromptLimits,
  PromptValues,
  SummaryInput,
} from './model/prompt.js';
export { promptBehind, promptOf, promptWithin } from './model/prompt.js';
export { summaryTemplate } from './model/summary.prompt.js';

// Summaries of a range, by a model or by any other summariser.
export type { RangeContent, RangeFact, RangeFacts, ReadRangeFacts } from './summaries/range.js';
export { rangeContent } from './summaries/range.js';
export type { AskedSummary, LLMSummarizerOptions, Summarizer, SummaryResult } from './summaries/summarizer.js';
export {
  askBehind,
  askForSummary,
  extendedOrSeparate,
  leastSummaryTokens,
  llmSummarizer,
  notifyingSummarizer,
} from './summaries/summarizer.js';
export { keptUserWords } from './summaries/kept-text.js';
export type { RangeToSummarise } from './summaries/summarise-range.js';
export { summariseRange } from './summaries/summarise-range.js';
export type {
  CheckedModelCall,
  ModelSummaryOptions,
  SummarizingLimits,
  SummarizingOptions,
  SummaryCallOptions,
} from './summaries/summarizing-condenser.js';
export { modelSummaryCondenser, modelSummaryOptions, summarizingCondenser } from './summaries/summarizing-condenser.js';

// The content of calls and results: argument names, files of patches, how a call ended, and a memory of what was read.
export type { ArgumentLeaf, ArgumentRoles, CallArguments, FileOperation, PatchedFile } from './calls/arguments.js';
export { argumentRoles, filesOfPatch, parseArguments, replacedTexts, wordsOfName } from './calls/arguments.js';
export { excerpt, oneLine, textOfEvent } from './calls/excerpt.js';
export { remembered } from './calls/remembered.js';
export type { CallStatus, ResultReading } from './calls/result.js';
export { isFailedStatus, readResult, statusText } from './calls/result.js';
export { pathsOf } from './calls/paths.js';
