import { gemini } from './gemini.js';
import { deepseek, kimi, openRouter } from './hosted-servers.js';
import { llamaCpp, lmStudioOld, ollama, strictTemplate, vllmQwen } from './local-servers.js';
import { mistral } from './mistral.js';
import type { CompatProfile, CompatProfileName } from './profile.js';

export type { CompatProfileName } from './profile.js';

/** All profiles by name. @see provider-rules D */
export const compatProfiles: Readonly<Record<CompatProfileName, CompatProfile>> = {
  mistral,
  gemini,
  deepseek,
  kimi,
  openrouter: openRouter,
  'vllm-qwen': vllmQwen,
  'strict-template': strictTemplate,
  'llama.cpp': llamaCpp,
  'lmstudio-old': lmStudioOld,
  ollama,
};
