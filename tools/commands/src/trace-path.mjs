// `npm run trace-path`: how many files and functions of the packages one event, one condensation and one tool call go through, by the
// coverage of one run. `npm run trace-path -- --files` names the files.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { pricedCondenser } from '@palimpsest/condensers';
import { EventLog } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { anthropicServer } from '@palimpsest/provider-servers';
import { openWorkspace, readFileTool } from '@palimpsest/tools';
import { condenseUntilSettled, View, ViewProjection } from '@palimpsest/view';
import { Coverage } from './coverage.mjs';
import { workspaceRoot } from './run.mjs';

/** @typedef {import('./coverage.mjs').RunFile} RunFile */

const coverage = new Coverage();
const model = 'claude-haiku-4-5';
const store = fileEventStore({ directory: path.join(workspaceRoot, 'corpus') });
const recorded = 'first-task-uncondensed';
const folder = await mkdtemp(path.join(tmpdir(), 'trace-path-'));

/** From a log on disk to the body that Anthropic's server receives. */
async function eventToBody() {
  coverage.restart();
  return takenAt(View.fromEvents([...(await EventLog.open(recorded, { store }))]));
}

/** The same, with a condenser that acts. */
async function eventToCondensedBody() {
  coverage.restart();
  const projection = new ViewProjection();
  for (const event of await EventLog.open(recorded, { store })) projection.append(event);
  const { length } = projection.view.events;
  const view = await condenseUntilSettled(pricedCondenser(), projection, { contextWindow: 16_000 });
  if (view.events.length === length) throw new Error('The condenser did not act.');
  return takenAt(view);
}

/**
 * @param {View} view
 * @returns {Promise<readonly RunFile[]>} what has run when the view is received
 */
async function takenAt(view) {
  /** @type {readonly RunFile[]} */
  let taken = [];
  const server = await anthropicServer({
    reply: () => {
      taken = coverage.taken();
      return { content: [{ type: 'text', text: 'Done.' }] };
    },
  });
  const inputSchema = { type: 'object' };
  const tools = [...new Set(view.events.flatMap((each) => (each.type === 'action' ? [each.toolCall.name] : [])))];
  const llm = anthropicLLM({ model, apiKey: 'a-key', baseURL: server.baseURL });
  await llm.complete({
    messages: view.toMessages(),
    tools: tools.map((name) => ({ name, description: name, inputSchema })),
  });
  await server.close();
  return taken;
}

/** From the model's answer to the event that holds the result, which is then on disk. */
async function callToResult() {
  await writeFile(path.join(folder, 'note.md'), 'Bread.\n');
  const server = await anthropicServer({
    reply: (_, index) => {
      if (index === 0) coverage.restart();
      const call = { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'note.md' } };
      return { content: [index === 0 ? call : { type: 'text', text: 'Done.' }] };
    },
  });
  const llm = anthropicLLM({ model, apiKey: 'a-key', baseURL: server.baseURL });
  const tools = [readFileTool(await openWorkspace(folder))];
  const disk = fileEventStore({ directory: path.join(folder, 'logs') });
  /** @type {readonly RunFile[]} */
  let taken = [];
  /** @type {import('@palimpsest/events').EventStore} */
  const store = {
    append: disk.append.bind(disk),
    read: disk.read.bind(disk),
    list: disk.list.bind(disk),
    openForWriting: async (id) => {
      const writer = await disk.openForWriting?.(id);
      if (writer === undefined) throw new Error('The store has no writers.');
      return {
        close: () => writer.close(),
        append: async (events, options) => {
          const appended = await writer.append(events, options);
          if (events.some(({ type }) => type === 'observation')) taken = coverage.taken();
          return appended;
        },
      };
    },
  };
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools }), store });
  await conversation.send('Read the note.');
  await conversation.run();
  await conversation.close();
  await server.close();
  return taken;
}

/** @type {readonly (readonly [string, () => Promise<readonly RunFile[]>])[]} */
const paths = [
  ['event → body', eventToBody],
  ['event → body, with priced', eventToCondensedBody],
  ['tool call → result', callToResult],
];
for (const [name, run] of paths) {
  const files = await run();
  const functions = files.reduce((sum, each) => sum + each.functions, 0);
  console.log(`${name}: ${files.length} files, ${functions} functions`);
  if (process.argv.includes('--files')) for (const each of files) console.log(`  ${each.file} ${each.functions}`);
}
await rm(folder, { recursive: true, force: true });
