import { createHash } from 'node:crypto';

/** What OpenAI and Anthropic both accept as the id of a call: at most 40 characters of this kind. */
const callIdPattern = /^[a-zA-Z0-9_-]{1,40}$/;

/** What OpenAI and Anthropic both accept as the name of a tool: at most 64 characters of this kind. */
const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** The call id, or where a provider would refuse it a short one made from it, the same for every occurrence. */
export function wireCallId(id: string): string {
  return callIdPattern.test(id) ? id : `call_${digest(id)}`;
}

/** The tool's name, or where a provider would refuse it the nearest one that passes. */
export function wireToolName(name: string): string {
  if (toolNamePattern.test(name)) return name;
  const allowed = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (allowed === '') return 'unknown';
  return allowed.length <= 64 ? allowed : `${allowed.slice(0, 43)}_${digest(name).slice(0, 20)}`;
}

/** 24 hexadecimal digits that stand for a text. */
export function digest(text: string): string {
  // UTF-8 has one form for all halves of surrogate pairs; escaped they are told apart.
  const sound = text.isWellFormed() ? text : JSON.stringify(text);
  return createHash('sha256').update(sound).digest('hex').slice(0, 24);
}
