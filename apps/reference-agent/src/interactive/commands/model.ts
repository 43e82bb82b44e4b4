import { llmByName, modelProviders } from '@palimpsest/llm-adapters/by-name';
import { priceTable } from '@palimpsest/llm-adapters';
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
    // A model of the list is one of a provider's own. A name is one that the session's server knows, if it has an address.
    const address = argument === '' ? undefined : (session.flags.baseUrl ?? opened?.settings.settings.baseUrl);
    // A wrong name is told before anything is closed.
    const llm = await llmByName(name, { env: session.surroundings.env, baseURL: address });
    if (opened?.model === llm.model && opened.settings.settings.model === name) {
      return screen.say(`${name} does the work already.`);
    }
    await session.switchTo({ session: 'same', flags: { model: name, baseUrl: address } });
    if (session.opened?.model !== llm.model) return;
    screen.say(`${name} goes on from here. Its prompt cache is empty: the next request is written anew.`);
  },
  complete: (_, session) => knownModels(session),
};

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
    .filter(({ keyVariable }) => keyVariable !== undefined && (env[keyVariable]?.trim() ?? '') !== '')
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
