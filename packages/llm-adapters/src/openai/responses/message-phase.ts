import { modelName } from '../../models/model-name.js';

/** True for models of OpenAI from GPT-5.3 on, and for those whose names say no version. */
export function takesPhases(model: string): boolean {
  const name = modelName(model);
  if (/^(?:o\d|chatgpt|ft:)/.test(name)) return false;
  const [, major, minor] = /^gpt-(\d+)(?:\.(\d+))?/.exec(name) ?? [];
  if (major === undefined) return true;
  return Number(major) > 5 || (Number(major) === 5 && Number(minor ?? 0) >= 3);
}
