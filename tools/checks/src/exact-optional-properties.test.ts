import path from 'node:path';
import { API } from '@typescript/native-preview/unstable/sync';
import { expect, test } from 'vitest';
import { workspaceRoot } from './workspace.js';

/** Every optional property of what users of the view write takes undefined. */
const view = `
import type {
  AttemptReport, CondenseContext, Condenser, RenderOptions, Replacement, ViewOptions, condensation, forgettableEventIds,
  condenseUntilSettled, pin,
} from './index.js';
import type { CondenserContractOptions, randomLog, viewPropertyContract } from './testing/index.js';

type CondensationOptions = Parameters<typeof condensation>[0];
type Selection = Parameters<typeof forgettableEventIds>[1];
type SettlingOptions = NonNullable<Parameters<typeof condenseUntilSettled>[2]>;
type PinOptions = NonNullable<Parameters<typeof pin>[1]>;
type RandomLogOptions = Parameters<typeof randomLog>[0];
type ViewPropertyContractOptions = Parameters<typeof viewPropertyContract>[0];

type Unstated<Options> = {
  [Key in keyof Options]-?: {} extends Pick<Options, Key> ? (undefined extends Required<Options>[Key] ? never : Key) : never;
}[keyof Options];

export const unstated: Record<
  | Unstated<AttemptReport> | Unstated<CondensationOptions> | Unstated<CondenseContext> | Unstated<Condenser>
  | Unstated<PinOptions> | Unstated<RenderOptions> | Unstated<Replacement> | Unstated<Selection>
  | Unstated<SettlingOptions> | Unstated<ViewOptions> | Unstated<CondenserContractOptions>
  | Unstated<RandomLogOptions> | Unstated<ViewPropertyContractOptions>,
  true
> = {};
export const seen: Unstated<{ readonly signal?: AbortSignal }> = 'signal';
export const context: CondenseContext = { signal: undefined };
// @ts-expect-error This one may not be undefined: the types are known, and the compiler does look.
export const pinned: PinOptions & { readonly id?: string } = { id: undefined };
`;

/** A program that passes on the options that a condenser got. */
const condensers = `
import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { CondenseContext, View } from '@palimpsest/view';
import * as root from '../index.js';
import * as kit from './index.js';

type Optional<Value> = { [Key in keyof Value]?: Value[Key] | undefined };
declare const createEvent: CreateEvent | undefined;
declare const options: ReturnType<typeof kit.checkedOptions<ReturnType<typeof kit.modelSummaryOptions>>>;
declare const needed: { llm: LLM; summarizer: kit.Summarizer; name: string; view: View; context: CondenseContext };
declare const sizes: { maxSize: number; maxTokens?: number | undefined };
declare const mask: Pick<kit.MaskingOptions, 'name' | 'rule' | 'windowOf'>;
declare const masks: Optional<kit.MaskOptions>;
const { llm, summarizer, name } = needed;
const { modelCall, ...limits } = options;
const { prompt, maxEventCharacters, maxOutputTokens, timeoutMs } = modelCall;

kit.maskingCondenser({ ...mask, ...masks, createEvent });
kit.llmSummarizer({ llm, prompt, maxEventCharacters, maxOutputTokens, timeoutMs });
kit.summarizingCondenser({ ...limits, name, summarizer, createEvent });
kit.modelSummaryCondenser(options, { llm, createEvent }, { name, template: '', createSummarizer: kit.llmSummarizer });
kit.requirementOf(needed.view, needed.context, sizes);
kit.rollingCondenser({ name, requirement: (view, context) => kit.requirementOf(view, context, { maxSize: 1, maxTokens: undefined }), getCondensation: () => { throw new Error(); }, hardReset: undefined });
root.llmSummarizingCondenser({ ...options, llm, createEvent });
root.structuredSummaryCondenser({ ...options, llm, createEvent });
root.llmAttentionCondenser({ llm, ...sizes, keepFirst: limits.keepFirst, background: undefined, modelCall: undefined, createEvent });
root.slidingWindowCondenser({ llm, compactionInterval: undefined, finishTools: undefined, modelCall: { prompt }, createEvent });
root.observationMaskingCondenser({ ...masks, attentionWindow: undefined, createEvent });
root.browserOutputCondenser({ ...masks, toolNames: undefined, createEvent });
root.extractiveSummaryCondenser({ ...sizes, maxSummaryTokens: undefined, createEvent });
root.digestCondenser({ ...sizes, targetTokens: undefined, maxFactTokens: undefined, maxLineTokens: undefined, createEvent });
root.rereadsOf(needed.view, { after: undefined, fixedTokens: undefined });
root.amortizedForgettingCondenser({ ...sizes, createEvent });
root.conversationWindowCondenser({ createEvent });
root.recentEventsCondenser({ maxSize: undefined, keepFirst: undefined });

// @ts-expect-error This one may not be undefined: the types are known, and the compiler does look.
kit.requirementOf(needed.view, needed.context, { maxSize: undefined });
`;

test.each([
  ['packages/view/src/users-options.ts', view],
  ['packages/condensers/src/authoring/passed-on.ts', condensers],
])('users under exactOptionalPropertyTypes pass on what may be undefined: %s', (name, program) => {
  expect(typeProblems(name, program)).toEqual([]);
});

/** Returns the errors of TypeScript in a user's program under `exactOptionalPropertyTypes`. No file is written: the name says where it would be. */
function typeProblems(name: string, program: string): readonly string[] {
  const file = path.join(workspaceRoot, name);
  const configuration = `${file}.tsconfig.json`;
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'es2024.string'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    customConditions: ['@palimpsest/source'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const written = new Map([
    [file, program],
    [configuration, JSON.stringify({ compilerOptions, files: [file] })],
  ]);
  const api = new API({
    fs: { fileExists: (path) => (written.has(path) ? true : undefined), readFile: (path) => written.get(path) },
  });
  try {
    const compiled = api.updateSnapshot({ openProjects: [configuration] }).getProject(configuration)?.program;
    if (compiled?.getSourceFile(file) === undefined) throw new Error(`${file} was not compiled`);
    return [
      ...compiled.getConfigFileParsingDiagnostics(),
      ...compiled.getSyntacticDiagnostics(file),
      ...compiled.getSemanticDiagnostics(file),
    ].map(({ text }) => text);
  } finally {
    api.close();
  }
}
