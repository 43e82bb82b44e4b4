/** The vendors of known addresses. A router has no prices of its own here, and its windows are those of the vendors. */
export type Vendor =
  'anthropic' | 'openai' | 'openrouter' | 'deepseek' | 'google' | 'mistral' | 'moonshot' | 'xai' | 'alibaba';

const hosts: readonly (readonly [RegExp, Vendor])[] = [
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^(?:[a-z]{2}\.)?api\.openai\.com$/, 'openai'],
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/^api\.mistral\.ai$/, 'mistral'],
  [/^api\.moonshot\.(?:ai|cn)$/, 'moonshot'],
  [/^api\.x\.ai$/, 'xai'],
  [/^openrouter\.ai$/, 'openrouter'],
  [/^dashscope(?:-intl|-us)?\.aliyuncs\.com$/, 'alibaba'],
];

/** The vendor whose service has this address; undefined for clouds, proxies and the local machine. */
export function vendorOf(baseURL: string): Vendor | undefined {
  if (!URL.canParse(baseURL)) return undefined;
  const { hostname } = new URL(baseURL);
  return hosts.find(([pattern]) => pattern.test(hostname))?.[1];
}
