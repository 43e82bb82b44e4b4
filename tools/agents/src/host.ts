import type { Tool } from './exchange.js';
import type { Act, HostCall, Provider } from './model.js';
import type { Place } from './place.js';
import type { Command, Finished } from './program.js';
import type { Scenario } from './scenarios.js';

/** Who condenses: nobody, the host by its own means, the plugin, or the gateway. */
export type Way = 'none' | 'own' | 'plugin' | 'gateway';

/** A run of a host. */
export interface HostRun {
  readonly place: Place;
  /** The address of the model, without a path. */
  readonly url: string;
  readonly way: Way;
  /** The built plugin. Undefined without one. */
  readonly plugin: string | undefined;
  /** The model that the user chose. */
  readonly model: string;
  /** The provider's key. */
  readonly key: string;
  /** True if the user's base URL stands in the host's settings, and not where the host is usually told it. */
  readonly hasUrlInSettings: boolean;
  /** A program says the provider's key, each time another one. */
  readonly hasKeyHelper: boolean;
  /** Variables beside those that the host needs. */
  readonly env: Readonly<Record<string, string>>;
  /** The script delegates: a host that needs an extension for it loads that. */
  readonly hasSubAgents: boolean;
}

/** An agent that people run, headless. */
export interface Host {
  readonly name: string;
  /** The package that installs it. */
  readonly packageName: string;
  readonly provider: Provider;
  /** Two models of the provider; all runs begin with the first. */
  readonly models: readonly [string, string];
  /** @defaultValue there is none */
  readonly plugin?: HostPlugin;
  /** True if the gateway knows how it is told where to send. */
  readonly isKnownToGateway: boolean;
  /** True if what it saves of a session does not depend on the plugin, so that both can be compared. */
  readonly savesWithoutPlugin: boolean;
  /** True if a plugin that never returns leaves it running. */
  readonly survivesLoops: boolean;
  /** True if it starts sub-agents. */
  readonly hasSubAgents: boolean;
  /** The abilities that a scenario may need. */
  readonly has: readonly Required<Scenario>['needs'][];
  /** Writes the settings of a run, before each start. */
  readonly prepare: (run: HostRun) => Promise<void>;
  /** Starts it with a prompt, which continues the session if there is one. */
  readonly start: (run: HostRun, prompt: string, continues: boolean) => Command;
  /** Its own command that compacts the session. */
  readonly compact?: (run: HostRun) => Promise<Finished>;
  readonly callOf: (act: Act, place: Place, tools: readonly Tool[]) => HostCall | undefined;
  /** What it saved of the session, without ids and times. Undefined if it cannot be compared. */
  readonly saved?: (run: HostRun) => Promise<string | undefined>;
}

/** The plugin of a host. */
export interface HostPlugin {
  /** Its folder in `plugins`. */
  readonly folder: string;
  /** The path of the built plugin, of a copy of its folder. */
  readonly pathIn: (folder: string) => string;
}

/** The models of the hosts that speak Messages. */
export const claudeModels = ['claude-opus-5-5', 'claude-sonnet-5-5'] as const;

/** The first of them. */
export const [model] = claudeModels;

/** Where the host's own compaction begins with {@link Way} `own`. Unit: tokens. */
export const ownLimit = 65_000;

/** A compaction longer than this is ended. Unit: milliseconds. */
export const compactMs = 120_000;

/** Returns the tool of a name that a request declares. */
export function toolNamed(name: string, tools: readonly Tool[]): string | undefined {
  return tools.find((tool) => tool.name === name)?.name;
}

/** Returns the call of the plugin's tool `recall`, under whatever prefix the host gives it. */
export function recallCall(file: string, tools: readonly Tool[]): HostCall | undefined {
  const tool = tools.find(({ name }) => /(?:^|_)recall$/.test(name));
  return tool === undefined ? undefined : { name: tool.name, input: { path: file } };
}

/** An environment in which an agent reaches this machine alone. */
export function localEnvironment(home: string): Readonly<Record<string, string>> {
  const nowhere = 'http://127.0.0.1:9';
  return {
    HOME: home,
    TERM: 'dumb',
    ANTHROPIC_API_KEY: 'none',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    http_proxy: nowhere,
    https_proxy: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    npm_config_registry: nowhere,
    npm_config_fetch_retries: '0',
  };
}
