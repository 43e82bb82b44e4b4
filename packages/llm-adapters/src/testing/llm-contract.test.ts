import { describe, test } from 'vitest';
import { llmContract } from './llm-contract.js';
import { scriptedScenario } from '../../test-support/scripted-scenario.js';

describe('scriptedLLM', () => {
  llmContract({ test, create: scriptedScenario });
});
