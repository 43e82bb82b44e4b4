import { context, trace } from '@opentelemetry/api';
import type { ToolWork } from '../instrumentation.js';
import { jsonOf } from './model-call.js';
import { idOf, names, secondsSince, spanContext, recordError, recordFailure } from './span.js';
import type { Telemetry } from './span.js';

/** Observes a tool while it runs. Calls that are not carried out have no span: their answers stand in the log. */
export async function observedTool<Output>(
  { tool, action, input, secrets, signal }: ToolWork,
  work: () => Promise<Output>,
  { tracer, measures, content }: Telemetry,
): Promise<Output> {
  const start = performance.now();
  const { conversationId, tally } = spanContext(context.active());
  const base = { [names.operation]: 'execute_tool', [names.toolName]: tool.name, [names.toolType]: 'function' };
  const said = content
    ? { [names.toolDescription]: tool.description, [names.toolArguments]: jsonOf(input, secrets) }
    : {};
  const address = { [names.toolCallId]: action.toolCall.id, [names.actionId]: action.id, ...idOf(conversationId) };
  const span = tracer.startSpan(`execute_tool ${tool.name}`, { attributes: { ...base, ...address, ...said } });
  const around = trace.setSpan(context.active(), span);
  if (tally !== undefined) tally.toolCalls++;
  let errorType: string | undefined;
  try {
    const output = await context.with(around, work);
    const isError = (output as { readonly isError?: unknown } | null | undefined)?.isError === true;
    if (isError) errorType = recordError(span, 'tool_error');
    if (content) span.setAttribute(names.toolResult, jsonOf(output, secrets));
    return output;
  } catch (error) {
    ({ errorType } = recordFailure(span, error, signal));
    throw error;
  } finally {
    const attributes = { [names.toolName]: tool.name, [names.toolType]: 'function' };
    const failed = errorType === undefined ? attributes : { ...attributes, [names.errorType]: errorType };
    measures.tool.record(secondsSince(start), failed, around);
    span.end();
  }
}
