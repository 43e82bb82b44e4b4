import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import * as ours from '@palimpsest/ai-sdk';
import * as ai from 'ai';
import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { describe, expect, it } from 'vitest';
import { aiSdkSuite } from '../../../packages/ai-sdk/test-support/ai-sdk-suite.js';
import { scriptedModel, sentTo } from '../../../packages/ai-sdk/test-support/scripted-model.js';

aiSdkSuite('ai 7', { ours, ai, createOpenAI, createAnthropic });

describe('ai 7: what the user says while a loop runs', () => {
  it('stays at its place, once, behind what earlier steps have put in the place of the messages', async () => {
    const server = await scriptedModel('chat', { steps: 30 });
    const model = createOpenAI({ baseURL: server.baseURL, apiKey: 'key' }).chat('gpt-4o');
    const steering = ai.experimental_createSteering();
    const tools = {
      read: ai.tool({ inputSchema: ai.jsonSchema<{ path: string }>({ type: 'object' }), execute: ({ path }) => path }),
      screenshot: ai.tool({ inputSchema: ai.jsonSchema<object>({ type: 'object' }), execute: () => 'The screen.' }),
    };
    const prepareStep = ours.condensing({ condenser: extractiveSummaryCondenser({ maxSize: 16, keepFirst: 2 }) });
    let said = 0;
    const { steps } = await ai.generateText({
      model,
      tools,
      prompt: 'Read all the files.',
      stopWhen: ai.stepCountIs(40),
      experimental_steering: steering,
      prepareStep,
      onStepEnd: ({ stepNumber }) => {
        if (stepNumber % 10 === 3) void steering.steer(`Mind rule ${said++}.`);
      },
    });
    const sent = sentTo(server);
    await server.close();
    expect(steps).toHaveLength(30);
    expect(said).toBe(3);
    expect(sent[4]?.at(-1)).toContain('Mind rule 0.');
    for (const messages of sent) {
      for (let rule = 0; rule < said; rule++) {
        expect(messages.filter((message) => message.includes(`"content":"Mind rule ${rule}."`)).length).toBeLessThan(2);
      }
    }
    // The words are in each request after they were said: word for word, or in the summary.
    expect(sent.slice(4).every((messages) => messages.some((message) => message.includes('Mind rule 0.')))).toBe(true);
    expect(Math.max(...sent.map(({ length }) => length))).toBeLessThan(30);
  });
});
