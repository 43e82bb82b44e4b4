import type { ToolDefinition } from '@palimpsest/events';
import type { Conversation } from './conversation.js';
import { conversationOf, keyOf, meterOf } from './conversations.js';
import type { PluginOptions } from './conversations.js';
import type { Deny, Engine, ToolCall } from './host.js';
import { askEarly } from './settings.js';
import { readRows } from './transcript.js';

/** Declares what the person and the model can call. */
export async function declare($: Engine, { name, description, inputSchema }: ToolDefinition): Promise<void> {
  await $.tool.register({ name, description, inputSchema, isDeferred: false });
  await $.command.register({
    name: 'condense',
    description: 'Condenses this conversation now, without a model',
    argumentHint: '[focus]',
  });
  await $.command.register({
    name: 'palimpsest',
    description: 'Turns Palimpsest off in this session, and on again',
    argumentHint: 'on | off',
    immediate: true,
  });
  await $.command.register({
    name: 'condensed',
    description: 'Shows what was condensed in this session: what went, why, what it saved, what came back',
    immediate: true,
  });
}

/** Answers `/palimpsest on | off`: whether this session is condensed. */
export async function switchCommand($: Engine, options: PluginOptions, args: string): Promise<string> {
  const conversation = await conversationOf($, options, undefined);
  const word = args.trim();
  if (word === 'on' || word === 'off') return turn($, conversation, options.asksEarly, word === 'on');
  return `Palimpsest is ${conversation.session.isOn ? 'on' : 'off'} in this session: /palimpsest on, /palimpsest off.`;
}

/** Answers `/condense [focus]`. */
export async function condenseCommand($: Engine, options: PluginOptions, args: string): Promise<string> {
  const words = args.trim();
  const conversation = await conversationOf($, options, undefined);
  if (!conversation.session.isOn) return 'Palimpsest is off in this session: /palimpsest on turns it on.';
  if ((await $.session.surfaces()).length === 0)
    return `Claude Code condenses a headless session only for its own command. Type /compact${words === '' ? '' : ` ${words}`}: Palimpsest answers it.`;
  // Claude Code refuses a compaction while a command runs.
  $.clock.after(0, () => condenseNow($, words));
  return 'Condensing…';
}

/** By its own command: a compaction that a plugin asks for passes by the plugin's own hook. */
async function condenseNow($: Engine, words: string): Promise<void> {
  try {
    await $.command.run({ command: 'compact', args: words });
    $.ui.invalidate('ui.render');
  } catch (error) {
    $.ui.log(`Nothing was condensed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function turn($: Engine, conversation: Conversation, asksEarly: boolean, isOn: boolean): Promise<string> {
  conversation.session.turn(isOn);
  await askEarly($, isOn && asksEarly);
  const key = `off:${await $.session.id()}`;
  await (isOn ? $.store.delete(key) : $.store.set(key, true));
  $.ui.invalidate('ui.render');
  return isOn
    ? 'Palimpsest is on in this session.'
    : 'Palimpsest is off in this session: Claude Code compacts as it does without it. What was condensed stays condensed.';
}

/** Answers `/condensed`. */
export async function condensedCommand($: Engine, options: PluginOptions): Promise<string> {
  const conversation = await conversationOf($, options, undefined);
  const read = readRows(await $.session.messages());
  const { usages } = meterOf(keyOf(await $.session.id(), undefined));
  if (read !== undefined)
    await conversation.refresh(
      read.map(({ row }) => row),
      usages.splice(0),
    );
  const { problem } = conversation.boundary;
  const page = conversation.session.condensedPage();
  return problem === undefined ? page : `${page}\n\n${problem}`;
}

/** Answers the recall tool. */
export async function recallCall(
  $: Engine,
  options: PluginOptions,
  { tool: _tool, tool_use_id: _id, requestMeta: _meta, agentId, ...input }: ToolCall,
): Promise<{ readonly result: unknown } | Deny> {
  const conversation = await conversationOf($, options, agentId);
  const { text, isError } = await conversation.recall(input);
  return isError ? { deny: text } : { result: text };
}
