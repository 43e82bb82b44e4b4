import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractiveSummaryCondenser, noOpCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { demoCondenser } from '../demo-condenser.js';
import { runDemo } from '../demo.js';
import { offlineModel } from '../offline-model/offline-model.js';
import type { PlanStep } from '../offline-model/plan.js';
import { samplePlan } from '../offline-model/sample-plan/index.js';
import { repair } from '../offline-model/sample-plan/repair.js';
import { step } from '../offline-model/sample-plan/steps.js';
import { survey } from '../offline-model/sample-plan/survey.js';
import { copyWorkspace } from '../workspace-copy.js';
import type { Recording } from './recording.js';

/** The first of the demo's three tasks alone. */
const firstTask: readonly PlanStep[] = [
  ...survey,
  ...repair,
  step('repair/done', 'The first task is done.', {
    tool: 'finish',
    input: { message: 'The failing test passes: compounds are rounded before they are split. Two tasks are left.' },
  }),
];

/** The demo's work under different policies. */
export function demoRecordings(sampleProject: string): readonly Recording[] {
  const demo = (name: string, about: string, llm: LLM, condenser: () => Condenser | Promise<Condenser>): Recording => ({
    name,
    about,
    record: async () => recordDemo(sampleProject, llm, await condenser()),
  });
  return [
    demo(
      'demo-default',
      'The whole demo with its default condenser: lists of what was done, when they pay.',
      offlineModel({ plan: samplePlan }),
      demoCondenser,
    ),
    demo('first-task-uncondensed', 'The first task with nothing condensed.', offlineModel({ plan: firstTask }), () =>
      noOpCondenser(),
    ),
    demo(
      'first-task-masked-early',
      'The first task with results and long arguments masked early and often.',
      offlineModel({ plan: firstTask }),
      () => observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 600, maskArguments: true }),
    ),
    demo(
      'first-task-overflow',
      'The first task with a small window that the condenser is not told of: overflow, request, summary.',
      withHiddenWindow(offlineModel({ plan: firstTask, contextWindow: 7_000 })),
      () => extractiveSummaryCondenser({ maxSize: 60, maxSummaryTokens: 500 }),
    ),
  ];
}

function withHiddenWindow({ model, complete }: LLM): LLM {
  return { model, complete };
}

async function recordDemo(sampleProject: string, llm: LLM, condenser: Condenser): Promise<readonly Event[]> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'palimpsest-corpus-'));
  const { workspace, remove } = await copyWorkspace(sampleProject);
  try {
    const { conversationId, failure } = await runDemo({ workspace, logDirectory, llm, condenser });
    if (failure !== undefined) throw new Error(failure);
    const events: Event[] = [];
    for await (const event of fileEventStore({ directory: logDirectory }).read(conversationId)) events.push(event);
    return events;
  } finally {
    await remove();
    await rm(logDirectory, { recursive: true, force: true });
  }
}
