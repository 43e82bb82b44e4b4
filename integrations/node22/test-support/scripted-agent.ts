import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, tool } from '@openai/agents';
import type { Model, Tool } from '@openai/agents';
import type { ProviderServer } from '@palimpsest/provider-servers';
import OpenAI from 'openai';
import { z } from 'zod';

/** The two models of the Agents SDK. */
export type Api = 'responses' | 'chat';

export function modelOf(api: Api, server: ProviderServer): OpenAIResponsesModel | OpenAIChatCompletionsModel {
  const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
  return api === 'chat' ? new OpenAIChatCompletionsModel(client, 'gpt-4o') : new OpenAIResponsesModel(client, 'gpt-5');
}

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

/** Reads files, of which some are missing, and answers with an image where the API takes one. */
export function toolsOf(api: Api, words = 200): Tool[] {
  return [
    tool({
      name: 'read',
      description: 'Reads a file.',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => {
        if (path.startsWith('missing')) throw new Error(`No file ${path}.`);
        return `Content of ${path}: ${'word '.repeat(words)}`;
      },
    }),
    tool({
      name: 'screenshot',
      description: 'Shows the screen.',
      parameters: z.object({}),
      execute: () => (api === 'chat' ? 'The screen.' : { type: 'image' as const, image: pixel }),
    }),
  ];
}

export function agentOf(model: Model | string, tools: Tool[], name = 'Reader'): Agent {
  return new Agent({ name, instructions: `You are ${name}.`, model, tools });
}

/** JSON without what the server makes of each request: the ids and seals of its answers. */
export function unsealed(json: string): string {
  return json.replaceAll(/"(?:rs_|msg_|fc_|gAAAA)[^"]*"/g, '"sealed"');
}
