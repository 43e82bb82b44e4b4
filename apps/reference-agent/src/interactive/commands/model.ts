import { llmByName, modelProviders, providerOfModel } from '@palimpsest/llm-adapters/by-name';
import type { ModelProvider } from '@palimpsest/llm-adapters/by-name';
import { priceTable } from '@palimpsest/llm-adapters';
import { isSet } from '../../model-choice.js';
import { withoutPassword } from '../../open-session.js';
import { namedAddress } from '../../settings-of.js';
import { UsageError } from '../../usage-error.js';
import type { Choice } from '../../output/lines.js';
import { formatDollars } from '../../output/lines.js';
import type { InteractiveSession } from '../interactive-session.js';
import type { CommandWork } from './screen-command.js';

/** `/model`. */
export const modelCommand: CommandWork = {
  async run(argument, screen) {
    const { session } = screen;
    const name = argument === '' ? await chosen(session, screen) : argument;
    if (name === undefined) return;
    const { opened } = session;
    // A model of the list is one of a provider's own.
    const place = argument === '' ? ownAddress : await placeOf(name, screen);
    if (place === undefined) return;
    const { address } = place;
    // A wrong name is told before anything is closed.
    const llm = await llmByName(name, { env: session.surroundings.env, baseURL: address });
    const before = opened?.settings.settings;
    if (opened?.model === llm.model && before?.model === name && before.baseUrl === address) {
      return screen.say(`${name} does the work already.`);
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
    screen.say(
      `${name} goes on from here, at ${where}. Its prompt cache is empty: the next request is written anew.${back}`,
    );
  },
  complete: (_, session) => knownModels(session),
};

/** Where a model is. Undefined: at its provider's own address. */
interface Place {
  readonly address: string | undefined;
}

const ownAddress: Place = { address: undefined };

/**
 * Where a model is that was named. A name is one that the session's server knows, if it has an address; where it could as well be another
 * provider's, the user is asked. Undefined: given up.
 */
async function placeOf(name: string, screen: Parameters<CommandWork['run']>[1]): Promise<Place | undefined> {
  const { env } = screen.session.surroundings;
  const address = serverOf(screen.session);
  const provider = providerNamed(name);
  if (address === undefined || provider === undefined || isAt(address, provider.baseURL)) return { address };
  const { keyVariable } = provider;
  if (keyVariable !== undefined && !isSet(env[keyVariable])) return { address };
  const own = withoutPassword(ownAddressOf(provider, env));
  const answer = await screen.choose(`Where is ${name}?`, [
    { label: `at ${provider.name}`, ...(own === undefined ? {} : { detail: own }), value: 'own' },
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

/** Where a provider's own models are asked. */
function ownAddressOf({ baseURL, baseUrlVariable }: ModelProvider, env: Environment): string {
  const variable = baseUrlVariable === undefined ? undefined : env[baseUrlVariable]?.trim();
  return variable === undefined || variable === '' ? baseURL : variable;
}

/** Where a model is asked that no server is named for. A name of no known provider is one of the server behind `OPENAI_BASE_URL`. */
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

async function chosen(
  session: InteractiveSession,
  screen: Parameters<CommandWork['run']>[1],
): Promise<string | undefined> {
  const choices = knownModels(session);
  const { opened } = session;
  if (choices.length === 0) {
    const now = opened === undefined ? '' : `${opened.model} does the work. `;
    throw new UsageError(
      `${now}No provider's key is set, so no list can be shown: name a model, /model provider/name.`,
    );
  }
  return screen.choose(`Which model?${opened === undefined ? '' : ` Now: ${opened.model}`}`, choices);
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
