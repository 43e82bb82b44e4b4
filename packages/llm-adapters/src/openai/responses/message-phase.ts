import type { AssistantMessage } from '@palimpsest/events';
import { modelName } from '../../models/model-name.js';

/** What the model's words are to it: said on the way, or its answer. */
export type MessagePhase = 'commentary' | 'final_answer';

/**
 * The phase of an answer's words: an answer that calls goes on, so its words are commentary. The provider labels them in the
 * same way, and a model that does not get the labels back can take words on the way for an answer and stop early. The event
 * log has no place for them, and they follow from what it has.
 *
 * @see `ResponseOutputMessage.phase` in the types of the package `openai`
 */
export function phaseOf({ toolCalls = [] }: AssistantMessage): MessagePhase {
  return toolCalls.length > 0 ? 'commentary' : 'final_answer';
}

/** True for models of OpenAI from GPT-5.3 on, and for those whose names say no version. */
export function takesPhases(model: string): boolean {
  const name = modelName(model);
  if (/^(?:o\d|chatgpt|ft:)/.test(name)) return false;
  const [, major, minor] = /^gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? [];
  if (major === undefined) return true;
  return Number(major) > 5 || (Number(major) === 5 && Number(minor ?? 0) >= 3);
}
