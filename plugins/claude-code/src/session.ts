import { declare } from './commands.js';
import { conversationOf, keyOf, meterOf } from './conversations.js';
import type { PluginOptions } from './conversations.js';
import type { Engine, StepInput, StepResult } from './host.js';
import { askEarly } from './settings.js';

/** Prepares a session: what the person and the model can call, and when Claude Code asks. A failure leaves it as it is without us. */
export async function begin($: Engine, options: PluginOptions): Promise<void> {
  try {
    const { session } = await conversationOf($, options, undefined);
    await declare($, session.recallTool);
    await askEarly($, options.asksEarly && session.isOn);
  } catch (error) {
    $.ui.log(`Palimpsest does nothing in this session: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Takes note of a request that is about to be sent. */
export async function meterRequest($: Engine, { agentId }: StepInput): Promise<void> {
  meterOf(keyOf(await $.session.id(), agentId)).isUnanswered = true;
}

/** Takes note of a request that a person has stopped. */
export async function meterAbort($: Engine, { agentId }: StepInput): Promise<void> {
  meterOf(keyOf(await $.session.id(), agentId)).isUnanswered = false;
}

/** Takes note of an answer of the model. */
export async function meterStep(
  $: Engine,
  { agentId, model }: StepInput,
  { stopReason, usage }: StepResult,
): Promise<void> {
  if (stopReason === null || usage === null) return;
  const meter = meterOf(keyOf(await $.session.id(), agentId));
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  meter.steps++;
  meter.tokens = fresh + read + written + usage.output_tokens;
  meter.model = model;
  meter.leftAlone = undefined;
  meter.isUnanswered = false;
  meter.usages.push(usage);
  if (meter.answeredAt >= 0) $.ui.invalidate('ui.render');
}

/** Returns what stands at the end of the line below the prompt. Undefined before the first condensation, while all is well. */
export async function statusTail($: Engine, options: PluginOptions): Promise<string | undefined> {
  const { session, problem, originals } = await conversationOf($, options, undefined);
  if (session.isOn && problem === undefined && originals.last.length === 0) return undefined;
  return `palimpsest: ${problem ?? session.statusLine()}`;
}
