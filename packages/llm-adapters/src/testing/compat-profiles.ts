import { gemini } from './compat-gemini.js';
import { deepseek, kimi, openRouter } from './compat-hosted-servers.js';
import { llamaCpp, lmStudioOld, ollama, strictTemplate, vllmQwen } from './compat-local-servers.js';
import { mistral } from './compat-mistral.js';
import type { CompatProfile, CompatProfileName } from './compat-profile.js';

export type { CompatProfileName } from './compat-profile.js';

/** Each of them. @see provider-protocol D and section F */
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
