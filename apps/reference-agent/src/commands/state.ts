import { visibleContext } from '@palimpsest/agent/prompts';
import type { Skill } from '@palimpsest/agent/prompts';
import { priceTable } from '@palimpsest/llm-adapters';
import { llmByName, modelProviders, providerOfModel } from '@palimpsest/llm-adapters/by-name';
import type { ModelProvider } from '@palimpsest/llm-adapters/by-name';
import type { McpServerState } from '@palimpsest/mcp';
import type { InteractiveSession } from '../session/interactive-session.js';
import { isSet } from '../agent/models.js';
import { withoutPassword } from '../session/open-session.js';
import { formatDollars, formatCount, textLines } from '../output/lines.js';
import type { Choice, Line } from '../output/lines.js';
import { namedAddress } from '../settings/load-settings.js';
import { UsageError } from '../context.js';
import type { CommandBody, CommandSurface } from './command.js';
import { requireOpenSession } from './command.js';

/** Runs `/model`. */
export const modelCommand: CommandBody = {
  async run(argument, surface) {
    const { session } = surface;
    const name = argument === '' ? await chosenModel(session, surface) : argument;
    if (name === undefined) return;
    const { opened } = session;
    // A model of the list is one of a provider's own.
    const place = argument === '' ? ownAddress : await placeOf(name, surface);
    if (place === undefined) return;
    const { address } = place;
    // A wrong name is told before anything is closed.
    const llm = await llmByName(name, { env: session.surroundings.env, baseURL: address });
    const before = opened?.settings.settings;
    if (opened?.model === llm.model && before?.model === name && before.baseUrl === address) {
      return surface.say(`${name} does the work already.`);
    }
    // The server's address is not forgotten: the small model stays there, and a model of it can be named again.
    const server = serverOf(session);
    const flags = { model: name, baseUrl: address ?? server, isProvidersAddress: address === undefined };
    await session.switchTo({ session: 'same', flags });
    if (session.opened?.model !== llm.model) return;
    const { env } = session.surroundings;
    const where = withoutPassword(address ?? ownAddressOfModel(name, env)) ?? 'an address with a password';
    const back =
      address !== undefined || server === undefined
        ? ''
        : ` /model NAME names a model of ${withoutPassword(server) ?? 'the server'} again.`;
    surface.say(
      `${name} goes on from here, at ${where}. Its prompt cache is empty: the next request is written anew.${back}`,
    );
  },
  complete: (_, session) => knownModels(session),
};

/** The place of a model. Undefined: its provider's own address. */
interface Place {
  readonly address: string | undefined;
}

const ownAddress: Place = { address: undefined };

/**
 * Finds the place of a model that was named. A name is one that the session's server knows, if it has an address; where it could as well be another
 * provider's, the user is asked. Undefined: given up.
 */
async function placeOf(name: string, surface: CommandSurface): Promise<Place | undefined> {
  const { env } = surface.session.surroundings;
  const address = serverOf(surface.session);
  const provider = providerNamed(name);
  if (address === undefined || provider === undefined || isAt(address, provider.baseURL)) return { address };
  const { keyVariable } = provider;
  if (keyVariable !== undefined && !isSet(env[keyVariable])) return { address };
  const own = withoutPassword(ownAddressOf(provider, env));
  const answer = await surface.choose(`Where is ${name}?`, [
    { label: `at ${provider.name}`, detail: own, value: 'own' },
    {
      label: `at ${withoutPassword(address) ?? address}`,
      detail: 'a server that knows it by this name',
      value: 'server',
    },
  ]);
  return answer === undefined ? undefined : answer === 'own' ? ownAddress : { address };
}

/** The address that a flag, the session or a file names, also while a provider's own model does the work. */
function serverOf({ flags, opened }: InteractiveSession): string | undefined {
  return flags.baseUrl ?? (opened === undefined ? undefined : namedAddress(opened.settings));
}

/** The provider that a name begins with, or that is known by it. */
function providerNamed(name: string): ModelProvider | undefined {
  const prefix = name.startsWith('claude') ? 'anthropic' : name.toLowerCase().split('/', 1)[0];
  const isNamed = name.includes('/') || prefix === 'anthropic';
  return isNamed ? modelProviders.find((each) => each.name === prefix) : undefined;
}

/** Returns the address of a provider's own models. */
function ownAddressOf({ baseURL, baseUrlVariable }: ModelProvider, env: Environment): string {
  const variable = baseUrlVariable === undefined ? undefined : env[baseUrlVariable]?.trim();
  return variable === undefined || variable === '' ? baseURL : variable;
}

/** Returns the address of a model that no server is named for. A name of no known provider is one of the server behind `OPENAI_BASE_URL`. */
function ownAddressOfModel(name: string, env: Environment): string {
  try {
    return ownAddressOf(providerOfModel(name).provider, env);
  } catch {
    return env['OPENAI_BASE_URL'] ?? '';
  }
}

type Environment = InteractiveSession['surroundings']['env'];

function isAt(address: string, other: string): boolean {
  return URL.canParse(address) && new URL(address).host === new URL(other).host;
}

async function chosenModel(session: InteractiveSession, surface: CommandSurface): Promise<string | undefined> {
  const choices = knownModels(session);
  const { opened } = session;
  if (choices.length === 0) {
    const now = opened === undefined ? '' : `${opened.model} does the work. `;
    throw new UsageError(
      `${now}No provider's key is set, so no list can be shown: name a model, /model provider/name.`,
    );
  }
  return surface.choose(`Which model?${opened === undefined ? '' : ` Now: ${opened.model}`}`, choices);
}

/** The models of the table of prices, of the providers whose key is set. */
function knownModels({ surroundings: { env } }: InteractiveSession): readonly Choice[] {
  const today = new Date().toISOString().slice(0, 10);
  return modelProviders
    .filter(({ keyVariable }) => keyVariable !== undefined && isSet(env[keyVariable]))
    .flatMap(({ name, ...provider }) =>
      priceTable
        .filter(({ vendor, validTo }) => vendor === vendorOf(name) && (validTo === undefined || validTo >= today))
        .flatMap(({ models, prices }) =>
          models.slice(0, 1).map((model) => ({
            label: `${name}/${model}`,
            detail: `${formatDollars(prices.input)} in, ${formatDollars(prices.output)} out for a million tokens, at ${hostOf(ownAddressOf({ name, ...provider }, env))}`,
            value: `${name}/${model}`,
          })),
        ),
    );
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'no address';
}

/** Whose models a provider has, as the table of prices names them. */
function vendorOf(provider: string): string {
  return provider === 'gemini' ? 'google' : provider;
}

/** The end of a server's own log that is shown. Unit: lines. */
const mostLogLines = 20;

/** Runs `/mcp`. */
export const mcpCommand: CommandBody = {
  async run(_, surface) {
    const { mcp } = requireOpenSession(surface.session);
    if (mcp === undefined) {
      return surface.say('No MCP servers are configured. [mcp.servers.NAME] in the configuration names them.');
    }
    const servers = mcp.servers();
    const notes = [...mcp.notes, ...mcp.told];
    await surface.show({
      title: `MCP servers: ${servers.length}`,
      lines: [
        ...servers.flatMap(serverLines),
        ...(notes.length === 0 ? [] : [{ text: 'Since the start', style: 'strong' as const }]),
        ...notes.flatMap((note) => textLines(note, { indent: 2 })),
      ],
    });
  },
};

function serverLines({ name, kind, state, problem, tools, log }: McpServerState): readonly Line[] {
  return [
    { text: `${name} (${kind}): ${state}, ${formatCount(tools.length, 'tool')}`, style: 'strong' },
    ...(problem === undefined ? [] : textLines(problem, { indent: 2 })),
    ...tools.map(({ name: tool, description }): Line => {
      const [first = ''] = description.trim().split(/\r\n|\r|\n/);
      return { text: `${tool}  ${first}`, indent: 2 };
    }),
    // A server that works needs no log.
    ...(state === 'connected' || log.trim() === ''
      ? []
      : textLines(log.trim(), { indent: 4, style: 'dim' }).slice(-mostLogLines)),
    { text: '' },
  ];
}

const lists = [
  ['permissions.deny', 'Never runs'],
  ['permissions.ask', 'Is asked about'],
  ['permissions.allow', 'Runs without a question'],
] as const;

/** Runs `/permissions`. */
export const permissionsCommand: CommandBody = {
  async run(_, surface) {
    const { settings } = requireOpenSession(surface.session);
    const isYolo = surface.session.flags.yolo === true;
    const { sessionRules } = surface.session;
    const lines = lists.flatMap(([name, title]): readonly Line[] => {
      const rules = settings.origins.filter((each) => each.name === name);
      // A rule that is kept now stands in both lists until the session is opened anew.
      const answered = name === 'permissions.allow' ? sessionRules : [];
      const isKnown = (rule: string) => rules.some(({ value }) => value === rule);
      return [
        { text: title, style: 'strong' },
        ...(rules.length + answered.length === 0 ? [{ text: 'no rule', indent: 2, style: 'dim' as const }] : []),
        ...rules.map(({ value, origin, file }) => ({ text: `${String(value)}  (${file ?? origin})`, indent: 2 })),
        ...answered.filter((rule) => !isKnown(rule)).map((rule) => ({ text: `${rule}  (your answer)`, indent: 2 })),
        { text: '' },
      ];
    });
    const rest = isYolo
      ? '--yolo: whatever no rule denies runs without a question.'
      : 'Without a rule, what only reads runs, and what writes or runs is asked about.';
    await surface.show({ title: 'Permissions', lines: [...lines, { text: rest }] });
  },
};

const skillKinds: Readonly<Record<Skill['kind'], string>> = {
  always: 'always shown',
  keyword: 'shown when you say one of its words',
  task: 'shown when you type its name with a slash',
  listed: 'loaded by the model',
};

/** Runs `/skills`. */
export const skillsCommand: CommandBody = {
  async run(_, surface) {
    const { skills, settings, conversation } = requireOpenSession(surface.session);
    if (skills.length === 0) {
      return surface.say('No skills were found. [context] skillFolders in the configuration names folders of them.');
    }
    const { disabledSkills } = settings.settings.context;
    const seen = visibleContext(conversation.view).skills;
    const lines = skills.flatMap(({ name, kind, description, folder, triggers }): readonly Line[] => {
      const state = disabledSkills.includes(name)
        ? 'disabled'
        : seen.has(name)
          ? 'the model sees it'
          : skillKinds[kind];
      return [
        { text: `${name}: ${state}`, style: 'strong' },
        ...(description === undefined ? [] : [{ text: description, indent: 2 }]),
        ...(triggers.length === 0 ? [] : [{ text: `words: ${triggers.join(', ')}`, indent: 2, style: 'dim' as const }]),
        ...(folder === undefined ? [] : [{ text: folder, indent: 2, style: 'dim' as const }]),
      ];
    });
    await surface.show({ title: `Skills: ${skills.length}`, lines });
  },
};
