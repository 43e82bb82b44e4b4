import { afterFailure, compact } from './compaction.js';
import { condenseCommand, condensedCommand, recallCall, switchCommand } from './commands.js';
import { userOptions } from '@palimpsest/plugin-kit';
import type { On } from './host.js';
import { begin, meterAbort, meterRequest, meterStep, statusTail } from './session.js';

/** The options of a person: `userConfig` of the manifest. */
interface PluginOptions {
  readonly preset?: unknown;
  readonly early?: boolean;
}

/** Claude Code calls this when it loads the plugin. The loader reads the source: the names of events, tools and commands are literals. */
export function register(on: On, { preset, early = false }: PluginOptions = {}): void {
  const options = { ...userOptions({ preset }), asksEarly: early };

  on('session.start', async ($, event, next) => {
    await begin($, options);
    return next(event);
  });
  on('turn.step', async function* ($, event, next) {
    let isAborted = true;
    await meterRequest($, event);
    try {
      const result = yield* next(event);
      isAborted = next.signal.aborted;
      await meterStep($, event, result);
      return result;
    } catch (error) {
      isAborted = next.signal.aborted;
      throw error;
    } finally {
      // A person who stops a request has not refused it.
      if (isAborted) await meterAbort($, event);
    }
  });
  on('session.compact', async ($, event, next) => compact($, event, next, options)).catch(async ($, event, next) =>
    afterFailure($, event, next),
  );
  on('tool.call', { tool: 'mcp__palimpsest__recall' }, async ($, event) => recallCall($, options, event));
  on('command.run', { command: 'condense' }, async ($, { args }) => ({
    text: await condenseCommand($, options, args),
    isTextDisplayOnly: true,
  }));
  on('command.run', { command: 'palimpsest' }, async ($, { args }) => ({
    text: await switchCommand($, options, args),
    isTextDisplayOnly: true,
  }));
  on('command.run', { command: 'condensed' }, async ($) => ({
    text: await condensedCommand($, options),
    isTextDisplayOnly: true,
  }));
  on('ui.render', { component: 'PromptHint' }, async ($, event, next) => {
    const tail = await statusTail($, options);
    return next(tail === undefined ? event : { ...event, props: { ...event.props, tail } });
  });
}
