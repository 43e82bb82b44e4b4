import type { ChatDialect } from './chat/writer.js';
import { InvalidRequestError } from '../errors.js';
import { isThisMachine } from '../http-failure.js';

/**
 * The differences of a server that speaks OpenAI's protocol from OpenAI. Plain data, so that the profile of another
 * server is a named profile with a few fields changed.
 *
 * @see {@link serverProfile}
 * @see provider-rules D
 */
export interface ServerProfile extends ChatDialect {
  readonly name: string;
  /** The field that limits the length of the answer. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens';
  /** The ids that calls may have: up to 40 characters, or exactly nine letters and digits. */
  readonly callIds: 'forty' | 'nine-alphanumeric';
  /** `first-only`: later instructions are sent as user messages at their position. */
  readonly systemMessages: 'anywhere' | 'first-only';
  /** Neighbours of one role become one message: the server's template wants user and assistant to alternate. */
  readonly mergesNeighbours: boolean;
  /** The first message after the instructions must be a user message; one is added if it is missing. */
  readonly startsWithUser: boolean;
  /** An assistant message is added between results and the next user message. */
  readonly answersResults: boolean;
  /** A user message is added if the history ends with an assistant message. */
  readonly endsWithUser: boolean;
  /**
   * Calls in the history need tools in the request. If the request has none, the called tools are declared by name and
   * none may be called.
   */
  readonly callsNeedTools: boolean;
  /**
   * The way in which a schema for the answer is enforced: by the server, or only as JSON, with the schema as text at
   * the end.
   */
  readonly schemas: 'enforced' | 'in-words';
  /** The server is asked to stream its usage with `stream_options`; others send it unasked or refuse the field. */
  readonly asksForStreamUsage: boolean;
  /**
   * The end of a streamed answer. `finish-reason`: only the finish reason; a stream without one was cut. `done`: also
   * the line `data: [DONE]`, for servers that may send no finish reason.
   */
  readonly endOfStream: 'finish-reason' | 'done';
  /** The fields for the prompt cache that are sent: the key, or the key, breakpoints and lifetime. */
  readonly cacheHints: 'none' | 'key' | 'all';
}

const openai: ServerProfile = {
  name: 'openai',
  outputLimit: 'max_completion_tokens',
  content: 'parts',
  emptyContent: 'null',
  callIds: 'forty',
  systemMessages: 'anywhere',
  mergesNeighbours: false,
  startsWithUser: false,
  answersResults: false,
  endsWithUser: false,
  reasoning: 'left-out',
  thoughtSignatures: false,
  callsNeedTools: true,
  schemas: 'enforced',
  asksForStreamUsage: true,
  endOfStream: 'finish-reason',
  cacheHints: 'all',
};

/** An unknown server: the minimum that all servers accept. */
const compatible: ServerProfile = {
  ...openai,
  name: 'compatible',
  outputLimit: 'max_tokens',
  endOfStream: 'done',
  cacheHints: 'none',
};

/** A service that documents a finish reason in every stream. */
const hosted: ServerProfile = { ...compatible, endOfStream: 'finish-reason' };

/** A local server renders the messages with the model's own template, and most templates support one system message. */
const local: ServerProfile = {
  ...compatible,
  name: 'local',
  systemMessages: 'first-only',
  // These servers check nothing, and declared tools would only invite calls.
  callsNeedTools: false,
};

const profiles = {
  openai,
  compatible,
  ollama: { ...local, name: 'ollama' },
  'llama.cpp': { ...local, name: 'llama.cpp' },
  vllm: { ...local, name: 'vllm' },
  lmstudio: { ...local, name: 'lmstudio', emptyContent: 'empty-string' },
  /** A server whose model template accepts only alternating user and assistant messages. */
  'strict-template': {
    ...local,
    name: 'strict-template',
    content: 'text',
    emptyContent: 'empty-string',
    mergesNeighbours: true,
    startsWithUser: true,
    answersResults: true,
  },
  openrouter: { ...hosted, name: 'openrouter' },
  mistral: {
    ...hosted,
    name: 'mistral',
    emptyContent: 'empty-string',
    callIds: 'nine-alphanumeric',
    answersResults: true,
    endsWithUser: true,
    asksForStreamUsage: false,
  },
  gemini: {
    ...hosted,
    name: 'gemini',
    systemMessages: 'first-only',
    mergesNeighbours: true,
    startsWithUser: true,
    thoughtSignatures: true,
  },
  deepseek: {
    ...hosted,
    name: 'deepseek',
    content: 'text',
    emptyContent: 'empty-string',
    reasoning: 'with-calls',
    schemas: 'in-words',
  },
  kimi: { ...hosted, name: 'kimi', emptyContent: 'empty-string', reasoning: 'with-calls', cacheHints: 'key' },
} as const satisfies Readonly<Record<string, ServerProfile>>;

/** The name of a profile that comes with this package. */
export type ServerName = keyof typeof profiles;

/** The profiles by address: a host, a parent domain of the host, or a port of the local machine. */
const addresses: readonly (readonly [address: string, name: ServerName])[] = [
  ['openai.com', 'openai'],
  ['openai.azure.com', 'openai'],
  ['openrouter.ai', 'openrouter'],
  ['mistral.ai', 'mistral'],
  ['generativelanguage.googleapis.com', 'gemini'],
  ['deepseek.com', 'deepseek'],
  ['moonshot.ai', 'kimi'],
  ['moonshot.cn', 'kimi'],
  // The default ports of these servers.
  ['localhost:11434', 'ollama'],
  ['localhost:1234', 'lmstudio'],
];

/**
 * Returns a profile by its name, to be used unchanged or with some fields replaced.
 *
 * @throws {@link InvalidRequestError} when there is no profile of that name.
 */
export function serverProfile(name: ServerName): ServerProfile {
  if (Object.hasOwn(profiles, name)) return profiles[name];
  const names = Object.keys(profiles).join(', ');
  throw new InvalidRequestError(`openai: no server profile has the name '${name}', only ${names}`, {
    provider: 'openai',
  });
}

/** Returns the profile of the server at an address; `compatible` for one that is not known. */
export function profileOfAddress(baseURL: string): ServerProfile {
  const url = parsed(baseURL);
  if (url === undefined) return compatible;
  const found = addresses.find(([address]) =>
    address.includes(':')
      ? isThisMachine(baseURL) && address.endsWith(`:${url.port}`)
      : url.hostname === address || url.hostname.endsWith(`.${address}`),
  );
  return found === undefined ? compatible : profiles[found[1]];
}

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
