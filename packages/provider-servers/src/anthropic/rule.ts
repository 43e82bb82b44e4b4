import type { Report, Violation } from '../violation.js';
import type { AnthropicRequestParts } from './request-parts.js';

/** One row of provider-rules A, over the parts of a request. */
export type Rule = (request: AnthropicRequestParts, report: Report) => readonly Violation[];

/** Rules by the row that they cite. */
export type Rules = Readonly<Record<string, Rule>>;
