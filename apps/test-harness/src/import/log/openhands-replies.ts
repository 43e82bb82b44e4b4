import type { ResponseDraft } from './drafts.js';
import { listOf, numberOf, objectOf, textOf } from './json.js';
import type { JsonObject } from './json.js';

/** Adds the thinking of a reply of the OpenHands SDK, in the form of the API that it came from. Anthropic's blocks repeat the plain text. */
export function addThinking(response: ResponseDraft, holder: JsonObject): void {
  const blocks = listOf(holder['thinking_blocks']).map(objectOf);
  for (const block of blocks) {
    const [thinking, data] = [textOf(block['thinking']), textOf(block['data'])];
    const signature = textOf(block['signature']);
    const signed = signature === undefined ? {} : { signature };
    if (data !== undefined) response.add({ type: 'thinking', block: { type: 'redacted-thinking', data } });
    else if (thinking !== undefined || signature !== undefined)
      response.add({ type: 'thinking', block: { type: 'thinking', thinking: thinking ?? '', ...signed } });
  }
  const item = objectOf(holder['responses_reasoning_item']);
  const [summary, encrypted] = [textsIn(item['summary']), textOf(item['encrypted_content'])];
  const reasoning = textOf(holder['reasoning_content']);
  if (summary.length > 0 || encrypted !== undefined) {
    const [id, content] = [textOf(item['id']), textsIn(item['content'])];
    response.add({
      type: 'reasoning-item',
      item: {
        ...(id === undefined ? {} : { id }),
        summary,
        ...(content.length === 0 ? {} : { content }),
        ...(encrypted === undefined ? {} : { encryptedContent: encrypted }),
      },
    });
  } else if (reasoning !== undefined && blocks.length === 0) {
    response.add({ type: 'reasoning-text', text: reasoning });
  }
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).flatMap((text) => textOf(text) ?? []);
}

/** The usage of one model call. `usage` is in the form of Chat Completions. */
export interface RecordedUsage {
  readonly model: unknown;
  readonly usage: JsonObject;
  readonly costUsd: number | undefined;
}

/** Returns the usage of each model call, from the state of a conversation or from the metrics beside a list of events. */
export function usageByResponse(state: JsonObject): ReadonlyMap<string, RecordedUsage> {
  const byPurpose = Object.values(objectOf(objectOf(state['stats'])['usage_to_metrics']));
  const usages = new Map<string, RecordedUsage>();
  for (const metrics of [...byPurpose, state['metrics']].map(objectOf)) {
    const counted = listOf(metrics['token_usages']).map(objectOf);
    const costs = listOf(metrics['costs']).map(objectOf);
    for (const [index, usage] of counted.entries()) {
      // A cost has no response id. As many costs as usages are of the same calls.
      const costUsd = costs.length === counted.length ? numberOf(costs[index]?.['cost']) : undefined;
      const responseId = textOf(usage['response_id']);
      const counts = { ...usage, reasoning_output_tokens: usage['reasoning_tokens'] };
      if (responseId !== undefined) usages.set(responseId, { model: usage['model'], usage: counts, costUsd });
    }
  }
  return usages;
}

/** The counts of a usage, in the names of the SDK. */
const counts = [
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;

/**
 * Returns the usage of each model call of the agent, in order, from events that report the state: they sum up what was used
 * so far. Events without such sums give none.
 */
export function usageBySnapshot(events: readonly JsonObject[]): readonly RecordedUsage[] {
  const usages: RecordedUsage[] = [];
  let before: JsonObject = {};
  let costBefore = 0;
  for (const { kind, value } of events) {
    if (kind !== 'ConversationStateUpdateEvent') continue;
    const stats = objectOf(value)['stats'] ?? value;
    const byPurpose = objectOf(objectOf(stats)['usage_to_metrics']);
    const metrics = objectOf(byPurpose['agent'] ?? byPurpose['default']);
    const sums = objectOf(metrics['accumulated_token_usage']);
    const [input, inputBefore] = [numberOf(sums['prompt_tokens']) ?? 0, numberOf(before['prompt_tokens']) ?? 0];
    if (input <= inputBefore) continue;
    const usage = Object.fromEntries(
      counts.map((name) => [name, (numberOf(sums[name]) ?? 0) - (numberOf(before[name]) ?? 0)]),
    );
    const cost = numberOf(metrics['accumulated_cost']) ?? costBefore;
    const model = textOf(sums['model']) ?? metrics['model_name'];
    usages.push({
      model,
      usage: { ...usage, reasoning_output_tokens: usage['reasoning_tokens'] },
      costUsd: cost > costBefore ? cost - costBefore : undefined,
    });
    before = sums;
    costBefore = cost;
  }
  return usages;
}
