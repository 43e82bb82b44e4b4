import { describe, test } from 'vitest';
import { llmContract } from './llm-contract.js';
import { scriptedScenario } from './llm-contract/scripted-scenario.js';

describe('scriptedLLM', () => {
  llmContract({ test, create: scriptedScenario });
});
