// The definition of a condenser, and its options by schema.
export type { CondenserDefinition, CondenserHost, CondenserSpec } from './define-condenser.js';
export { assertCreateEvent, createCondenser, defineCondenser, isCondenserDefinition } from './define-condenser.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from './errors.js';
export type { OptionsSchema } from './options/checked-options.js';
export { checkedOptions, optionNames } from './options/checked-options.js';
export { assertOptionsObject } from './options/option-issues.js';
export type { OptionsCheck } from './options/option-schemas.js';
export {
  flag,
  fraction,
  nonBlankText,
  objectWith,
  optionGroup,
  optionIssue,
  optionsOf,
  toolNameList,
  wholeNumber,
} from './options/option-schemas.js';
export type { SizeOptions } from './options/size-options.js';
export { roomBehindFirst, sizeOptions, usualFirst } from './options/size-options.js';
export type { ModelCallOptions } from './options/model-call-options.js';
export { modelCallOptions, timeoutMs } from './options/model-call-options.js';

// The rolling base: when to act, what to forget, and what to report.
export type { RollingOptions } from './rolling/rolling.js';
export { rollingCondenser } from './rolling/rolling.js';
export type { Reason, Requirement, RequirementLimits } from './rolling/requirement.js';
export { isHalfFull, requirementOf } from './rolling/requirement.js';
export type { Selection } from './rolling/select-middle.js';
export { selectMiddle, strictestTail, tailForTokens } from './rolling/select-middle.js';
export type { ForgetUnitsOptions } from './rolling/forget-units.js';
export { forgetUnits } from './rolling/forget-units.js';
export type { Gone } from './rolling/progress.js';
export { assertProgress, isProgress, usualProgress } from './rolling/progress.js';
export type { Account } from './rolling/accounting.js';
export { accountingOf } from './rolling/accounting.js';
export { calibrationOf } from './rolling/calibration.js';
export type { PromptCount, PromptCounts } from './rolling/prompt-counts.js';
export { promptCounts } from './rolling/prompt-counts.js';
export { isHeldBack, isKnownUnavailable, isStatedUnavailable, sizeNow } from './rolling/back-off.js';
export type { FailedCall } from './rolling/reports.js';
export { reportAttempt, reportFailedCall } from './rolling/reports.js';

// A condenser that is told when to act.
export type { Reducer, Reduction } from '@palimpsest/view';
export { isReducer } from '@palimpsest/view';

// Condensers that run others.
export { areCondensers, assertResult, contextOf, noStages, withStage } from './stages.js';

// Masks.
export type { MaskingOptions, MaskOptions } from './masks/masking.js';
export { batchesOrEveryStep, maskingCondenser, maskOptions } from './masks/masking.js';
export type { AttentionWindow, MaskRule } from './masks/masks.js';
export { answeredCall, leastSavedByOne } from './masks/masks.js';
export { remembered } from './remembered.js';

// Model calls.
export type { AskOptions } from './model/ask-model.js';
export { wordsOf } from './model/answer-in-words.js';
export { accountOf, askModel, saysNothing, textOf } from './model/ask-model.js';
export type { AnswerWay, ObjectQuestion, ObjectRequest, StructuredAnswer } from './model/structured-answer.js';
export { askForObject, instructionFor, questionLength, valueOf } from './model/structured-answer.js';
export type { Deadline } from './model/deadline.js';
export { withinDeadline } from './model/deadline.js';
export type { BackgroundOptions } from './model/background.js';
export { backgroundCondenser, notifyingSummarizer } from './model/background.js';
export type { CondenserModelErrorOptions, ModelAccount, ModelFailureKind } from './model/model-failure.js';
export { CondenserModelError } from './model/model-failure.js';
export type { Prompt, PromptEvent, PromptValues } from './prompts/prompt.js';
export { promptOf } from './prompts/prompt.js';
export type { PromptLimits } from './prompts/prompt-within.js';
export { promptBehind, promptWithin } from './prompts/prompt-within.js';
export { summaryTemplate } from './prompts/summary.prompt.js';

// Summaries of a range, by a model or by any other summariser.
export type {
  CheckedModelCall,
  ModelSummaryOptions,
  SummarizingLimits,
  SummarizingOptions,
  SummaryCallOptions,
} from './summaries/summarizing.js';
export { modelSummaryCondenser, modelSummaryOptions, summarizingCondenser } from './summaries/summarizing.js';
export type { LLMSummarizerOptions, Summarizer } from './summaries/summarizer.js';
export type { SummaryResult } from './summaries/summary-result.js';
export type { AgentConversation, SummaryInput } from './summaries/summary-input.js';
export { askBehind, extendedOrSeparate } from './summaries/extended-request.js';
export type { RangeFact, RangeFacts, ReadRangeFacts } from './summaries/range-facts.js';
export { llmSummarizer } from './summaries/summarizer.js';
export type { RangeContent } from './rolling/range-content.js';
export { rangeContent } from './rolling/range-content.js';
export type { RangeToSummarise } from './summaries/summarise-range.js';
export { summariseRange } from './summaries/summarise-range.js';
export type { AskedSummary } from './summaries/asked-summary.js';
export { askForSummary, leastSummaryTokens, wordsThatStay } from './summaries/asked-summary.js';

// The content of calls and results: argument names, files of patches, how a call ended.
export type { ArgumentRoles } from './tool-calls/argument-roles.js';
export { argumentRoles } from './tool-calls/argument-roles.js';
export type { ArgumentLeaf, CallArguments } from './tool-calls/call-arguments.js';
export { parseArguments, wordsOfName } from './tool-calls/call-arguments.js';
export { excerpt, oneLine } from './tool-calls/excerpt.js';
export type { Names } from './tool-calls/names.js';
export { namesOf } from './tool-calls/names.js';
export { textOfEvent } from './tool-calls/text-of-event.js';
export type { FileOperation, PatchedFile } from './tool-calls/patch-files.js';
export { filesOfPatch } from './tool-calls/patch-files.js';
export type { CallStatus, ResultReading } from './tool-calls/result-status.js';
export { isFailedStatus, readResult, statusText } from './tool-calls/result-status.js';
