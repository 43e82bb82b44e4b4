import { SpanKind, trace } from '@opentelemetry/api';
import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';

/**
 * The span of a condenser's call. Most calls return the view at once: a span exists only if the condenser asks a model or there is
 * something to tell. It begins when the condenser was called.
 */
export class CondensationSpan {
  readonly #tracer: Tracer;
  readonly #name: string;
  readonly #options: SpanOptions;
  readonly #around: Context;
  #span: Span | undefined;
  #isOver = false;
  /** The model calls that are under way. */
  openCalls = 0;

  constructor(tracer: Tracer, condenser: string, attributes: SpanOptions['attributes'], around: Context) {
    this.#tracer = tracer;
    this.#name = `condense ${condenser}`;
    this.#options = { kind: SpanKind.INTERNAL, startTime: new Date(), ...(attributes && { attributes }) };
    this.#around = around;
  }

  /** The span, begun if it was not. Undefined when the call is over and nothing was to be told. */
  begun(): Span | undefined {
    if (!this.#isOver) this.#span ??= this.#tracer.startSpan(this.#name, this.#options, this.#around);
    return this.#span;
  }

  /** The context for work inside. A model that is asked in the background may be asked after the end. */
  inside(context: Context): Context {
    const span = this.begun();
    return span === undefined ? context : trace.setSpan(context, span);
  }

  get exists(): boolean {
    return this.#span !== undefined;
  }

  end(): void {
    this.#isOver = true;
    this.#span?.end();
  }
}
