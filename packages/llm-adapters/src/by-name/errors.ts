import { AuthenticationError, InvalidRequestError } from '../errors.js';
import { modelProviders } from './model-providers.js';

/** The environment variable with the key of the model's provider is not set. */
export class MissingApiKeyError extends AuthenticationError {
  static override get typeName(): string {
    return 'MissingApiKeyError';
  }

  /** The variable to set. */
  readonly variable: string;

  constructor(model: string, options: { readonly provider: string; readonly variable: string }) {
    super(
      `The model '${model}' is ${options.provider}'s and needs a key: set the environment variable ${options.variable}. ` +
        'Logins of subscriptions (Claude Pro or Max, ChatGPT Plus) are not taken, only keys of the API.',
      { provider: options.provider },
    );
    this.variable = options.variable;
  }
}

/** A model's name begins with no provider that is known. */
export class UnknownProviderError extends InvalidRequestError {
  static override get typeName(): string {
    return 'UnknownProviderError';
  }

  constructor(model: string, provider: string) {
    const known = modelProviders.map(({ name }) => name).join(', ');
    super(
      `The model '${model}' is of no known provider: '${provider}' is none of ${known}. ` +
        'A model of another server is named as that server names it, together with its address (base URL).',
      { provider },
    );
  }
}
