/** Sends a request to a provider, and returns its answer as it arrives: not decoded, redirects not followed. */
export type Upstream = (request: UpstreamRequest) => Promise<Response>;

/** A request to a provider. */
export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}
