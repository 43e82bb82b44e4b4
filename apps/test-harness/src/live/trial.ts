import { z } from 'zod';

const count = z.int().nonnegative();

/** As the provider counted. Unit: tokens. */
const tokens = z.object({
  /** Input at the full price. */
  uncachedInput: count,
  cacheRead: count,
  /** Left out where it is counted with the uncached input. */
  cacheWrite: count.optional(),
  output: count,
});

const rereads = z.object({
  /** The results that brought back text that had been shown before. */
  results: count,
  /** Their size, estimated. Unit: tokens. */
  tokens: count,
});

/** The parser of a line of results: one run of one task under one arm. What is not known is left out, and never zero in its place. */
export const trialSchema = z.object({
  type: z.literal('trial'),
  /** The name of the task: the same in all arms, so that trials are paired by it. */
  task: z.string().min(1),
  /** The generator that made the task, or the data set it is from. */
  family: z.string().min(1),
  /** The arm: `none`, a preset, `truncation`, a rival's name. */
  arm: z.string().min(1),
  /** The number of the trial of this task in this arm. The first is 1. */
  trial: z.int().positive(),
  /** The seed that the task was made from. */
  seed: z.int().optional(),
  /** True if the check of the task passed. Whatever stopped the agent early, its work was checked. */
  solved: z.boolean(),
  /** The end of the run, if the agent did not end it: `time`, `budget`, or the error in a sentence. It counts like every other. */
  stopped: z.string().optional(),
  /** The whole bill with output and cache, and with the calls that condensation makes. Unit: USD. */
  costUsd: z.number().nonnegative().optional(),
  tokens: tokens.optional(),
  /** The requests that the model has answered, condensation's own left out. */
  steps: count.optional(),
  rereads: rereads.optional(),
  /** Edits that the agent's tool refused because their old text did not stand in the file. */
  refusedEdits: count.optional(),
  /** The wall time of the agent. Unit: milliseconds. */
  wallMs: z.number().nonnegative().optional(),
  /** ISO 8601. */
  startedAt: z.iso.datetime({ offset: true }).optional(),
  agent: z.object({ name: z.string(), version: z.string().optional() }),
  model: z.string().optional(),
  /** The file or the folder of the gateway's receipts, from the folder of the results. */
  receipts: z.string().optional(),
});

/** One run of one task under one arm. */
export type Trial = z.infer<typeof trialSchema>;

/** Returns what identifies a trial. A runner that resumes leaves out the trials that it has results of. */
export function trialKey({ task, arm, trial }: Pick<Trial, 'task' | 'arm' | 'trial'>): string {
  return JSON.stringify([task, arm, trial]);
}
