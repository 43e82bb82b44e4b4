import type { ServerName } from '../openai/server-profile.js';

/** A provider's address and the variables with its key. Plain data. */
export interface ModelProvider {
  /** The text before the slash in a model's name. */
  readonly name: string;
  /** The API that its server speaks. */
  readonly protocol: 'anthropic' | 'openai';
  readonly baseURL: string;
  /** The environment variable that replaces the address. */
  readonly baseUrlVariable?: string;
  /** The environment variable with the key. Absent for servers that need none. */
  readonly keyVariable?: string;
  /** The profile of its server, where the address does not say it. */
  readonly server?: ServerName;
}

/**
 * The providers that a model's name can begin with. Others, and servers of your own, are reached by their address.
 *
 * @see the documentation of each provider for its address and the variable that its own tools read
 */
export const modelProviders: readonly ModelProvider[] = [
  {
    name: 'anthropic',
    protocol: 'anthropic',
    baseURL: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  {
    name: 'openai',
    protocol: 'openai',
    baseURL: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    keyVariable: 'OPENAI_API_KEY',
  },
  compatible('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  compatible('gemini', 'https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'),
  compatible('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  compatible('deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  compatible('moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  compatible('xai', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  compatible('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  local('ollama', 'http://localhost:11434/v1'),
  local('lmstudio', 'http://localhost:1234/v1'),
  local('llama.cpp', 'http://localhost:8080/v1'),
  local('vllm', 'http://localhost:8000/v1'),
];

function compatible(name: string, baseURL: string, keyVariable: string): ModelProvider {
  return { name, protocol: 'openai', baseURL, keyVariable };
}

function local(name: ServerName, baseURL: string): ModelProvider {
  return { name, protocol: 'openai', baseURL, server: name };
}
