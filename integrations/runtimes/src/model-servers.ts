import type { LLM } from '@palimpsest/llm-adapters';

type Scenario = Parameters<Parameters<typeof import('@palimpsest/llm-adapters/testing').llmContract>[0]['create']>[0];

/** An LLM of a scenario, and what it has sent. */
export interface BehindServer {
  readonly llm: LLM;
  readonly sent: () => readonly unknown[];
  readonly dispose: () => Promise<void>;
}

/** The settings of an LLM of a scenario. */
export interface LLMSettings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly retry: { readonly attempts: number; readonly minDelayMs: number };
}

/** Makes an LLM in front of a server that does what a scenario says. The server stands in another process, which `control` starts it in. */
export async function behindServer(
  control: string,
  api: 'openai' | 'anthropic',
  scenario: Scenario,
  makeLLM: (settings: LLMSettings) => LLM,
): Promise<BehindServer> {
  const started = await fetch(`${control}/servers`, { method: 'POST', body: JSON.stringify({ api, scenario }) });
  const { id, baseURL } = (await started.json()) as { readonly id: number; readonly baseURL: string };
  const place = `${control}/servers/${id}`;
  const plain = globalThis.fetch;
  const { sent, stop } = watchedRequests(baseURL, async () => Number(await (await plain(place)).text()));
  const { attempts, apiKey } = scenario;
  return {
    llm: makeLLM({ apiKey, baseURL, retry: { attempts, minDelayMs: 1 } }),
    sent,
    dispose: async () => {
      stop();
      const ended = await fetch(place, { method: 'DELETE' });
      await ended.text();
    },
  };
}

/**
 * Reads what goes to an address by way of `fetch`: a contract asks for it without waiting, and the server stands in another process. A
 * request is counted when it has arrived, because a contract aborts one that has.
 */
function watchedRequests(baseURL: string, countOfServer: () => Promise<number>) {
  const requests: unknown[] = [];
  const plain = globalThis.fetch;
  let begun = 0;
  const watched: typeof fetch = async (input, init) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    if (!url.startsWith(baseURL) || typeof init?.body !== 'string') return plain(input, init);
    const number = ++begun;
    const body: unknown = JSON.parse(init.body);
    let isCounted = false;
    const count = (): void => {
      if (!isCounted) requests.push(body);
      isCounted = true;
    };
    const arrived = async (): Promise<void> => {
      while (!isCounted && (await countOfServer()) < number) await new Promise((resolve) => setTimeout(resolve, 5));
      count();
    };
    const answer = plain(input, init).finally(count);
    void arrived().catch(() => undefined);
    return answer;
  };
  globalThis.fetch = watched;
  return { sent: () => [...requests], stop: () => void (globalThis.fetch = plain) };
}
