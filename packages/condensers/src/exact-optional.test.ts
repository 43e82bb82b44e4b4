import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const program = `
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
root.amortizedForgettingCondenser({ ...sizes, createEvent });
root.conversationWindowCondenser({ createEvent });
root.recentEventsCondenser({ maxSize: undefined, keepFirst: undefined });
`;

test('options may be passed on under exactOptionalPropertyTypes', () => {
  const file = fileURLToPath(new URL('authoring/passed-on.ts', import.meta.url));
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@palimpsest/source'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(compilerOptions);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, target, ...rest) =>
    name === file ? ts.createSourceFile(name, program, target) : getSourceFile(name, target, ...rest);
  const checked = ts.createProgram([file], compilerOptions, host);

  const problems = checked.getSemanticDiagnostics(checked.getSourceFile(file));

  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
