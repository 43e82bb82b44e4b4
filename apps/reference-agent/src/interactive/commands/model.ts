import { llmByName, modelProviders } from '@palimpsest/llm-adapters/by-name';
import { priceTable } from '@palimpsest/llm-adapters';
import { isSet } from '../../model-choice.js';
import { withoutPassword } from '../../open-session.js';
import { namedAddress } from '../../settings-of.js';
import { UsageError } from '../../usage-error.js';
import type { Choice } from '../command-screen.js';
import { dollars } from '../figures-in-words.js';
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
    const flags = { model: name, baseUrl: address, isProvidersAddress: address === undefined };
    await session.switchTo({ session: 'same', flags });
    if (session.opened?.model !== llm.model) return;
    const { baseUrl } = session.opened;
    const where = baseUrl === undefined ? '' : `, at ${baseUrl}`;
    screen.say(`${name} goes on from here${where}. Its prompt cache is empty: the next request is written anew.`);
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
  const { opened, flags, surroundings } = screen.session;
  // One that a file names is still known after a model of the list.
  const address = flags.baseUrl ?? (opened === undefined ? undefined : namedAddress(opened.settings));
  const prefix = name.startsWith('claude') ? 'anthropic' : name.toLowerCase().split('/', 1)[0];
  const provider =
    name.includes('/') || prefix === 'anthropic' ? modelProviders.find((each) => each.name === prefix) : undefined;
  if (address === undefined || provider === undefined || isAt(address, provider.baseURL)) return { address };
  const { keyVariable, baseURL } = provider;
  if (keyVariable !== undefined && !isSet(surroundings.env[keyVariable])) return { address };
  const answer = await screen.choose(`Where is ${name}?`, [
    { label: `at ${provider.name}`, detail: baseURL, value: 'own' },
    {
      label: `at ${withoutPassword(address) ?? address}`,
      detail: 'a server that knows it by this name',
      value: 'server',
    },
  ]);
  return answer === undefined ? undefined : answer === 'own' ? ownAddress : { address };
}

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
    .flatMap(({ name }) =>
      priceTable
        .filter(({ vendor, validTo }) => vendor === vendorOf(name) && (validTo === undefined || validTo >= today))
        .flatMap(({ models, prices }) =>
          models.slice(0, 1).map((model) => ({
            label: `${name}/${model}`,
            detail: `${dollars(prices.input)} in, ${dollars(prices.output)} out for a million tokens`,
            value: `${name}/${model}`,
          })),
        ),
    );
}

/** Whose models a provider has, as the table of prices names them. */
function vendorOf(provider: string): string {
  return provider === 'gemini' ? 'google' : provider;
}
