/** One request of a client, and what the server said of it. */
interface Call {
  readonly body: Body;
  readonly isRefused: boolean;
  /** The server's count. Unit: tokens. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

interface Body {
  readonly tools?: readonly unknown[];
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly messages?: readonly unknown[];
  readonly input?: readonly unknown[];
}

/** The figures of a run. */
export interface Figures {
  /** Answers of the agent's model. */
  readonly answers: number;
  readonly refused: number;
  /** Requests of the agent that do not begin with the one before. */
  readonly rewrites: number;
  /** Input of all requests, a summariser's too. Unit: tokens, as the server counts them. */
  readonly tokens: number;
  /** The bill at each price of a cached token. Unit: prices of an uncached token that the cache does not write. */
  readonly bills: readonly number[];
}

/** Prices of a cached token, as shares of the price of an input token. */
export const readPrices = [0.1, 0.05, 0.025];
/** Of a token that the cache does not hold, and of a token that a summariser writes. */
const [writePrice, outputPrice] = [1.25, 5];

/** Records what a client sends, and what the server counts. Give `fetch` to the client. */
export function meter() {
  const calls: Call[] = [];
  const measuredFetch: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Body;
    const { usage = {} } = (await response.clone().json()) as { usage?: Usage };
    calls.push({ body, isRefused: !response.ok, ...counted(usage) });
    return response;
  };
  return { fetch: measuredFetch, figures: () => figuresOf(calls) };
}

function figuresOf(calls: readonly Call[]): Figures {
  const accepted = calls.filter(({ isRefused }) => !isRefused);
  const agents = accepted.filter(({ body }) => body.tools !== undefined);
  const summarisers = accepted.filter(({ body }) => body.tools === undefined);
  const written = summarisers.reduce((sum, { output }) => sum + output, 0);
  const sent = agents.map(({ body }) => piecesOf(body));
  const bill = (read: number) =>
    accepted.reduce((sum, { input, cached }) => sum + read * cached + writePrice * (input - cached), 0);
  return {
    answers: agents.length,
    refused: calls.length - accepted.length,
    rewrites: sent.filter((pieces, index) => !(sent[index - 1] ?? []).every((piece, at) => piece === pieces[at]))
      .length,
    tokens: accepted.reduce((sum, { input }) => sum + input, 0),
    bills: readPrices.map((read) => bill(read) + outputPrice * written),
  };
}

/** Returns a request as a list, without cache marks. */
function piecesOf({ tools, system, instructions, messages, input }: Body): readonly string[] {
  return [tools, system ?? instructions, ...(messages ?? input ?? [])].map((piece) =>
    JSON.stringify(piece ?? null, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
}

/** The fields of all three APIs. */
interface Usage {
  readonly prompt_tokens?: number;
  readonly input_tokens?: number;
  readonly completion_tokens?: number;
  readonly output_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly input_tokens_details?: { readonly cached_tokens?: number };
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

function counted(usage: Usage) {
  // Anthropic counts cached tokens beside the input, OpenAI within it.
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  const details = usage.prompt_tokens_details ?? usage.input_tokens_details;
  return {
    input: (usage.prompt_tokens ?? usage.input_tokens ?? 0) + read + written,
    cached: details?.cached_tokens ?? read,
    output: usage.completion_tokens ?? usage.output_tokens ?? 0,
  };
}
