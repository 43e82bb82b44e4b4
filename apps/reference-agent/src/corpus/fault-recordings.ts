import { Agent, Conversation, finishTool } from '@palimpsest/agent';
import { extractiveSummaryCondenser } from '@palimpsest/condensers';
import { createEvent, defineTool, memoryEventStore } from '@palimpsest/events';
import type { ActionEvent, Event, EventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { Script } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import type { Recording } from './recording.js';

const look = defineTool({
  name: 'look',
  description: 'Look at a place of the ship.',
  input: z.object({ place: z.string() }),
  execute: ({ place }) => `${place}: ${'all is well, the ropes are dry and the lamps are filled. '.repeat(6)}`,
});

const repair = defineTool({
  name: 'repair',
  description: 'Repair a part of the ship.',
  input: z.object({ part: z.string(), hours: z.number().positive() }),
  execute: ({ part }) => {
    if (part === 'mast') throw new Error('there is no wood left for a mast');
    return { content: `The ${part} is repaired.`, details: { part } };
  },
});

const calls = (...wanted: readonly (readonly [string, Record<string, unknown> | string])[]) => ({
  toolCalls: wanted.map(([name, input]) => ({ name, arguments: input })),
});
const lookAt = (...places: readonly string[]) => calls(...places.map((place) => ['look', { place }] as const));

function shipAgent(script: Script): Agent {
  return new Agent({
    llm: scriptedLLM({ script, model: 'offline' }),
    systemPrompt: 'You keep a ship in order.',
    tools: [look, repair, finishTool()],
    condenser: extractiveSummaryCondenser({ maxSize: 14, keepFirst: 2, maxSummaryTokens: 300 }),
  });
}

async function toTheEnd(script: Script, task: string): Promise<Conversation> {
  const conversation = await Conversation.open({ agent: shipAgent(script) });
  await conversation.send(task);
  await conversation.run();
  return conversation;
}

/** Short runs with a fault in them, or with parallel calls. */
export const faultRecordings: readonly Recording[] = [
  {
    name: 'tool-errors',
    about:
      'Unknown tools, arguments that do not parse or do not fit, tools that fail, an empty answer, calls after the finish.',
    record: async () => {
      const script: Script = [
        calls(['paint', { part: 'hull' }]),
        calls(['look', '{"place": "bow"']),
        calls(['repair', { part: 'sail', hours: 'three' }]),
        calls(['repair', { part: 'mast', hours: 3 }]),
        '',
        {
          text: 'I try the sail.',
          ...calls(['repair', { part: 'sail', hours: 3 }], ['paint', {}], ['look', { place: 'sail' }]),
        },
        calls(['finish', { message: 'The sail is repaired, the mast is not.' }], ['look', { place: 'mast' }]),
      ];
      return [...(await toTheEnd(script, 'Repair what is broken.')).events];
    },
  },
  {
    name: 'parallel-calls',
    about:
      'Batches of parallel calls with signed thinking, summarised whole, and a message of the user between two steps.',
    record: async () => {
      const script: Script = async (_request, index) => {
        if (index === 4) await conversation.send('Look at the anchor too.');
        if (index === 9) return 'I have seen everything, the anchor too.';
        return {
          text: `Round ${index + 1}.`,
          thinkingBlocks: [
            { type: 'thinking', thinking: `Round ${index + 1} of my walk.`, signature: `signature-${index + 1}` },
          ],
          ...lookAt(`port ${index}`, `starboard ${index}`, ...(index === 5 ? ['anchor'] : [])),
        };
      };
      const conversation: Conversation = await Conversation.open({ agent: shipAgent(script) });
      await conversation.send('Look everywhere.');
      await conversation.run();
      return [...conversation.events];
    },
  },
  {
    name: 'unfinished-calls',
    about: 'A process that died between two calls and their results: the log ends there.',
    record: async () => (await diedAtWork()).events,
  },
  {
    name: 'resumed',
    about: 'The same log gone on with: the calls are answered as interrupted, and the work is done again.',
    record: async () => {
      const { store } = await diedAtWork();
      const script: Script = [lookAt('bow'), lookAt('stern'), 'Bow and stern are well.'];
      const llm = scriptedLLM({ script, model: 'offline', idPrefix: 'resumed' });
      const agent = new Agent({ llm, systemPrompt: 'You keep a ship in order.', tools: [look, repair, finishTool()] });
      const conversation = await Conversation.open({ agent, store, conversationId: 'ship' });
      await conversation.run();
      return [...conversation.events];
    },
  },
  {
    name: 'rejected-calls',
    about: 'Calls that the user refused before they ran, with a late message and a second try.',
    record: async () => {
      const { store, events } = await diedAtWork();
      const llm = scriptedLLM({
        script: [lookAt('galley'), 'The galley is well.'],
        model: 'offline',
        idPrefix: 'resumed',
      });
      const agent = new Agent({ llm, systemPrompt: 'You keep a ship in order.', tools: [look, repair, finishTool()] });
      const conversation = await Conversation.open({ agent, store, conversationId: 'ship' });
      for (const action of events.filter((event): event is ActionEvent => event.type === 'action')) {
        await conversation.events.append(
          createEvent('user-reject-observation', {
            toolName: action.toolCall.name,
            toolCallId: action.toolCall.id,
            actionId: action.id,
            rejectionReason: 'Not in this weather.',
            rejectionSource: 'user',
          }),
        );
      }
      await conversation.send('Look at the galley instead.');
      await conversation.run();
      return [...conversation.events];
    },
  },
  {
    name: 'condensed-by-hand',
    about: 'Condensations that the user asked for, one taken back, and one for which nothing was left to forget.',
    record: async () => {
      const conversation = await toTheEnd(
        [lookAt('bow'), lookAt('stern'), lookAt('keel'), 'All is well.'],
        'Look around.',
      );
      await conversation.condense();
      const [condensation] = [...conversation.events].filter(({ type }) => type === 'condensation').slice(-1);
      if (condensation === undefined) throw new Error('nothing was condensed');
      await conversation.events.append(createEvent('condensation-revert', { condensationId: condensation.id }));
      await conversation.condense();
      await conversation.condense();
      return [...conversation.events];
    },
  },
];

/** A run whose store refuses every append after two calls, as if the process had been killed. */
async function diedAtWork(): Promise<{ readonly store: EventStore; readonly events: readonly Event[] }> {
  // Every append must pass through this store, so it offers no `openForWriting` of the store below.
  const { openForWriting: _, ...store } = memoryEventStore();
  let actions = 0;
  const dying: EventStore = {
    ...store,
    append: async (conversationId, events, options) => {
      if (actions === 2) throw new Error('killed');
      actions += events.filter(({ type }) => type === 'action').length;
      return store.append(conversationId, events, options);
    },
  };
  const conversation = await Conversation.open({
    agent: shipAgent([lookAt('bow', 'stern')]),
    store: dying,
    conversationId: 'ship',
  });
  await conversation.send('Look at bow and stern.');
  await conversation.run().catch(() => undefined);
  return { store, events: [...conversation.events] };
}
