import { scriptedServer, toolLoop } from '@palimpsest/provider-servers';
import type { ProviderServer, ToolLoopOptions } from '@palimpsest/provider-servers';

export { rewritesIn, sentTo } from '@palimpsest/provider-servers';

/** The API by which a scripted model is called. */
export type Api = 'chat' | 'responses' | 'anthropic';

/** The answers of a scripted model. */
export interface Script extends ToolLoopOptions {
  /** Unit: tokens. @defaultValue the model's */
  readonly contextWindow?: number;
}

/** Returns a server of a provider with a model that goes on calling tools. */
export function scriptedModel(api: Api, { contextWindow, ...loop }: Script): Promise<ProviderServer> {
  const options = contextWindow === undefined ? {} : { contextWindow };
  return scriptedServer(api === 'anthropic' ? 'anthropic' : 'openai', toolLoop(loop), options);
}
