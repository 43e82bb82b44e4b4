import type { ObservationEvent, ToolResultEvent } from '@palimpsest/events';

/** The end of a command or call: its exit status, or the known outcome if there is none. */
export type CallStatus = number | 'ok' | 'failed' | 'running';

/** The information in a result about its call. */
export interface ResultReading {
  readonly status: CallStatus;
  /** The tool's own output, without the frame that a runtime added. */
  readonly body: string;
}

const statusKeys = ['exitcode', 'exitstatus', 'returncode'];
const commandStatusKeys = [...statusKeys, 'status', 'code'];
const statusPattern = /\b(?:exit|return)[\s_-]?(?:code|status)["']?\s*[:=>]?\s*(?:is |of )?(-?\d{1,3})\b(?!\.\d)/i;
const exitedText =
  /\b(?:process|command|script)\s+exited\s+(?:with\s+)?(?:(?:exit\s+)?(?:code|status)\s+)?(-?\d{1,3})\b/i;
const runningText =
  /\b(?:process|command|session)\s+(?:is\s+)?(?:still\s+)?running\b|\brunning in (?:the )?background\b/i;
const failureStart =
  /^[\s<[(*-]*(?:[\w.]*(?:error|exception)\s*(?:[:!]|\n|$)|error (?:executing|calling|invoking|running|reading|writing|while|when|in)\b|traceback \(most|tool_use_error|failed to |failure:|cannot |could not |unable to |permission denied|no such file|file (?:does not exist|not found)|invalid (?:argument|input|parameter|path|`))/i;

/**
 * Reads the outcome of a call from its result. Exit statuses are searched only in the output of commands: the output of other
 * tools may contain such words about something else.
 */
export function readResult(event: ToolResultEvent, options: { readonly isCommand: boolean }): ResultReading {
  switch (event.type) {
    case 'user-reject-observation':
      return { status: 'failed', body: event.rejectionReason };
    case 'agent-error':
      return { status: 'failed', body: event.error };
    case 'observation': {
      const text = event.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      const { body, exitStatus } = unframed(text);
      return { status: statusOf(event, { text, body, exitStatus, ...options }), body };
    }
  }
}

function statusOf(
  event: ObservationEvent,
  read: {
    readonly text: string;
    readonly body: string;
    readonly exitStatus: number | undefined;
    readonly isCommand: boolean;
  },
): CallStatus {
  const keys = read.isCommand ? commandStatusKeys : statusKeys;
  const status =
    statusIn(event.details, keys) ?? read.exitStatus ?? (read.isCommand ? statusInText(read.text) : undefined);
  if (event.isError === true) return status === undefined || status === 0 ? 'failed' : status;
  if (status !== undefined) return status;
  if (read.isCommand && runningText.test(read.text.slice(0, 400))) return 'running';
  return failureStart.test(read.body.slice(0, 200)) ? 'failed' : 'ok';
}

/** Returns a status in words: `exit 1`, `failed`. */
export function statusText(status: CallStatus): string {
  return typeof status === 'number' ? `exit ${status}` : status;
}

/** Returns true for a status of a failure. */
export function isFailedStatus(status: CallStatus): boolean {
  return status === 'failed' || (typeof status === 'number' && status !== 0);
}

function statusIn(details: Readonly<Record<string, unknown>> | undefined, keys: readonly string[]): number | undefined {
  if (details === undefined) return undefined;
  for (const [key, value] of Object.entries(details)) {
    const name = key.toLowerCase().replaceAll(/[^a-z]/g, '');
    if (!keys.includes(name)) continue;
    const status = typeof value === 'string' && /^-?\d{1,3}$/.test(value) ? Number(value) : value;
    if (typeof status === 'number' && Number.isInteger(status)) return status;
  }
  const { metadata } = details;
  return typeof metadata === 'object' && metadata !== null
    ? statusIn(metadata as Record<string, unknown>, keys)
    : undefined;
}

/** Programs print numbers too, so only the first and the last lines, where runtimes write, are read. */
function statusInText(text: string): number | undefined {
  const head = text.slice(0, 1_000).split('\n', 6).join('\n');
  const tail = text.slice(-600).split('\n').slice(-4).join('\n');
  for (const part of [tail, head]) {
    const match = exitedText.exec(part) ?? statusPattern.exec(part);
    if (match !== null) return Number(match[1]);
  }
  return undefined;
}

/** Removes the frames that runtimes put around an output: a JSON object, a header of `Key: value` lines, a first word. */
function unframed(text: string): { readonly body: string; readonly exitStatus?: number } {
  const plain = text.replace(/^\s*OBSERVATION:\s*\n/, '');
  if (plain.startsWith('{') && plain.length < 200_000) {
    const json = parsedObject(plain);
    const output = json?.['output'] ?? json?.['stdout'];
    if (json !== undefined && typeof output === 'string') {
      const error = typeof json['stderr'] === 'string' ? json['stderr'] : '';
      const exitStatus = statusIn(json, statusKeys);
      return { body: error === '' ? output : `${output}\n${error}`, exitStatus };
    }
  }
  const header = /^(?:Command: [^\n]*\n)?(?:[A-Z][^\n]{0,80}\n){1,8}Output:(?:\n|$)/.exec(plain);
  return { body: header === null ? plain : plain.slice(header[0].length) };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
