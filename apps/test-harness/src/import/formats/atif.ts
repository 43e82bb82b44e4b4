import type { KnownContent, Usage } from '@palimpsest/events';
import { openaiUsage, receivedArguments } from '@palimpsest/llm-adapters/wire';
import type { ResponseDraft } from '../log/drafts.js';
import { isObject, listOf, numberOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import { SessionRecorder, toolDefinitions } from '../log/recorder.js';
import type { Entry, ImportedSession, LogFormat, LogSource, NoteTaker } from '../log/session.js';

/**
 * Trajectories in the Agent Trajectory Interchange Format, version 1, as Harbor and others write them: one, or JSON Lines of
 * them. A step of the agent holds its calls and their results. Embedded trajectories of sub-agents are sessions of their own;
 * steps that were copied from an earlier trajectory are shown, and not counted.
 *
 * @see https://harborframework.com/docs/trajectory-format and
 * https://github.com/laude-institute/harbor/blob/main/docs/rfcs/0001-trajectory-format.md
 */
export const atif: LogFormat = {
  name: 'atif',
  recognise: ({ head }) => head.some(isTrajectory),
  read: readAtif,
};

/** Trajectories in trajectories, as deep as a log has them. A damaged file may be deeper than the stack. */
const deepestTrajectory = 8;

async function* readAtif(source: LogSource): AsyncGenerator<ImportedSession> {
  const { document, notes } = source;
  for await (const { value, line } of source.records()) {
    if (!isTrajectory(value)) {
      notes.unknown('lines that are no trajectory', line);
      continue;
    }
    yield* sessionsOf(value, document === undefined ? `${source.name}#${nameOf(value) ?? line}` : source.name, notes);
  }
}

function* sessionsOf(trajectory: JsonObject, name: string, notes: NoteTaker, depth = 0): Generator<ImportedSession> {
  yield { name, events: new TrajectoryReader(trajectory, new SessionRecorder(notes)).events() };
  if (depth >= deepestTrajectory) return;
  for (const [index, child] of listOf(trajectory['subagent_trajectories']).entries()) {
    if (!isObject(child)) continue;
    notes.add('sidechain', 'the trajectory of a sub-agent is a session of its own');
    yield* sessionsOf(child, `${name}#${nameOf(child) ?? index + 1}`, notes, depth + 1);
  }
}

function isTrajectory(value: unknown): value is JsonObject {
  return isObject(value) && /^ATIF-v1\b/.test(String(value['schema_version'])) && Array.isArray(value['steps']);
}

function nameOf(trajectory: JsonObject): string | undefined {
  return textOf(trajectory['trajectory_id']) ?? textOf(trajectory['session_id']);
}

class TrajectoryReader {
  readonly #recorder: SessionRecorder;
  readonly #agent: JsonObject;
  readonly #steps: readonly JsonObject[];

  constructor(trajectory: JsonObject, recorder: SessionRecorder) {
    this.#recorder = recorder;
    this.#agent = objectOf(trajectory['agent']);
    this.#steps = listOf(trajectory['steps']).map(objectOf);
  }

  events(): ImportedSession['events'] {
    const tools = toolDefinitions(this.#agent['tool_definitions'], this.#recorder.notes);
    if (tools.length > 0 && this.#steps[0]?.['source'] !== 'system')
      this.#recorder.systemPrompt({ id: 'tools', timestamp: this.#steps[0]?.['timestamp'] }, '', tools);
    const firstOwn = this.#steps.findIndex((step) => step['source'] === 'agent' && step['is_copied_context'] !== true);
    const before = firstOwn === -1 ? this.#steps : this.#steps.slice(0, firstOwn);
    const lastCopied = before.findLastIndex((step) => step['is_copied_context'] === true);
    for (const [index, step] of this.#steps.entries()) {
      const entry: Entry = { id: `step-${numberOf(step['step_id']) ?? index + 1}`, timestamp: step['timestamp'] };
      this.#step(step, entry, index === 0 ? tools : []);
      if (index === lastCopied) this.#recorder.endOfCopiedHistory(entry);
    }
    return this.#recorder.finish();
  }

  #step(step: JsonObject, entry: Entry, tools: ReturnType<typeof toolDefinitions>): void {
    const content = this.#content(step['message'], entry);
    switch (step['source']) {
      case 'system':
        if (content.length > 0 || tools.length > 0) this.#recorder.instructions(entry, content, tools);
        this.#results(step, [], entry);
        return;
      case 'user':
        this.#recorder.message(entry, content, 'user');
        this.#results(step, [], entry);
        return;
      case 'agent':
        this.#agentStep(step, content, entry);
        return;
      default:
        this.#recorder.notes.unknown(`steps of the source '${String(step['source'])}'`);
    }
  }

  #agentStep(step: JsonObject, content: readonly KnownContent[], entry: Entry): void {
    const response = this.#recorder.response(entry);
    const reasoning = textOf(step['reasoning_content']);
    if (reasoning !== undefined) response.add({ type: 'reasoning-text', text: reasoning });
    response.say(content);
    const ids = listOf(step['tool_calls']).map((value, index) => {
      const call = objectOf(value);
      const id = textOf(call['tool_call_id']) ?? `call-of-${entry.id}-${index + 1}`;
      const name = textOf(call['function_name']);
      this.#recorder.call(response, entry, { id, name, arguments: receivedArguments(call['arguments']) });
      return id;
    });
    this.#count(step, response, entry);
    this.#results(step, ids, entry);
  }

  #count(step: JsonObject, response: ResponseDraft, entry: Entry): void {
    const { notes } = this.#recorder;
    const calls = numberOf(step['llm_call_count']) ?? 1;
    if (calls !== 1) notes.add('skipped-line', `the usage of a step with ${calls} model calls`);
    else if (step['is_copied_context'] !== true) {
      const metrics = objectOf(step['metrics']);
      const model = step['model_name'] ?? this.#agent['model_name'];
      response.count(entry, model, usageOf(metrics), numberOf(metrics['cost_usd']));
    }
  }

  /** A result without a call is of the step's only call, or feedback of the environment. */
  #results(step: JsonObject, calls: readonly string[], entry: Entry): void {
    for (const value of listOf(objectOf(step['observation'])['results'])) {
      const result = objectOf(value);
      if (listOf(result['subagent_trajectory_ref']).length > 0)
        this.#recorder.notes.add('sidechain', 'a result refers to the trajectory of a sub-agent');
      const place: Entry = { ...entry, id: `${entry.id}-result` };
      const content = this.#content(result['content'], place);
      const callId = textOf(result['source_call_id']) ?? (calls.length === 1 ? calls[0] : undefined);
      if (callId !== undefined) this.#recorder.result(place, { callId, content });
      else this.#recorder.message(place, content, 'environment');
    }
  }

  /** Images are at a path beside the trajectory, which is not read, or at an address. */
  #content(content: unknown, entry: Entry): readonly KnownContent[] {
    if (!Array.isArray(content)) return this.#recorder.parts(entry, content);
    const parts = content.map((part: unknown) => {
      const path = textOf(objectOf(objectOf(part)['source'])['path']) ?? '';
      if (objectOf(part)['type'] !== 'image') return part;
      if (/^(?:https?|data):/.test(path)) return { type: 'image_url', image_url: { url: path } };
      return { ...objectOf(part), type: 'file' };
    });
    return this.#recorder.parts(entry, parts);
  }
}

/** The prompt includes what was read from the cache. What was written to it stands in the provider's own metrics. */
function usageOf(metrics: JsonObject): Usage | undefined {
  const extra = objectOf(metrics['extra']);
  const counts = {
    prompt_tokens: metrics['prompt_tokens'],
    completion_tokens: metrics['completion_tokens'],
    cached_tokens: metrics['cached_tokens'],
    cache_write_tokens: extra['cache_creation_input_tokens'] ?? extra['cache_write_tokens'],
    reasoning_output_tokens: extra['reasoning_tokens'] ?? extra['reasoning_output_tokens'],
  };
  return openaiUsage(counts)?.usage;
}
