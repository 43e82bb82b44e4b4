import { ContextWindowExceededError } from '../errors.js';
import { classifyOverflow } from '../overflow.js';
import type { Overflow } from '../overflow.js';
import { field, isRecord, listOf, textOf } from './json-fields.js';

/** The reason of a provider's refusal, if another history would help. */
export type RefusalKind = ({ readonly type: 'overflow' } & Overflow) | { readonly type: 'bound-thinking' };

/** The number of errors that are looked into. Libraries put the provider's error into errors of their own. */
const maxErrors = 10;

/**
 * Returns the kind of a refusal in an error of any client: the SDKs of OpenAI and Anthropic, libraries that keep the
 * status and the body under other names, and errors that hold one of these as their cause. Undefined if a shorter
 * history, or one without thinking, would not help.
 *
 * @see provider-rules A.6 and E
 */
export function refusalKind(thrown: unknown): RefusalKind | undefined {
  const waiting: unknown[] = [thrown];
  for (let count = 0; count < maxErrors && waiting.length > 0; count++) {
    const error = waiting.shift();
    const kind = kindOf(error);
    if (kind !== undefined) return kind;
    waiting.push(
      ...[field(error, 'cause'), field(error, 'lastError'), ...listOf(field(error, 'errors'))].filter(isRecord),
    );
  }
  return undefined;
}

function kindOf(error: unknown): RefusalKind | undefined {
  if (ContextWindowExceededError.isInstance(error)) {
    const { kind, inputTokens, contextWindow, requestedTokens } = error;
    return { type: 'overflow', kind, ...sizes({ inputTokens, contextWindow, requestedTokens }) };
  }
  const responseBody = textOf(field(error, 'responseBody'));
  const body = field(error, 'error') ?? field(error, 'data') ?? parsed(responseBody);
  const inner = field(body, 'error') ?? body;
  const texts = [field(error, 'message'), field(inner, 'message'), responseBody ?? error];
  const text = texts.filter((one) => typeof one === 'string').join('\n');
  if (/bound to a different conversation/i.test(text)) return { type: 'bound-thinking' };
  const status = field(error, 'status') ?? field(error, 'statusCode');
  const codes = [field(inner, 'code'), field(inner, 'type'), field(error, 'code')].map(textOf);
  const statusCode = typeof status === 'number' ? status : undefined;
  const overflow = classifyOverflow({ statusCode, codes, text, body: inner });
  return overflow && { type: 'overflow', ...overflow };
}

function sizes(given: { readonly [Size in keyof Omit<Overflow, 'kind'>]: number | undefined }): Partial<Overflow> {
  return Object.fromEntries(Object.entries(given).filter(([, size]) => size !== undefined));
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
