import { hooksOf } from './plugin.js';
import type { Hooks } from './plugin.js';
import type { HostClient } from './facts.js';
import { optionsFrom } from './options.js';

/** The half of the plugin that opencode's server loads. */
export default {
  id: 'palimpsest',
  server: async ({ client }: { readonly client: HostClient }, options?: unknown): Promise<Hooks> =>
    hooksOf(client, optionsFrom(options, process.env)),
};
