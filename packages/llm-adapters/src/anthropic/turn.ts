import type Anthropic from '@anthropic-ai/sdk';

/** A block of a message. */
export type Block = Anthropic.ContentBlockParam;

/** One message of the body. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}
