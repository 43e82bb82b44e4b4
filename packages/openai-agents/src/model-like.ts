// The parts of the Agents SDK that matter here, so that no version of it is imported. The real types stand in its place wherever
// they are given: see the integration tests.

/** A request to a model: `ModelRequest`. */
export interface ModelRequestLike {
  readonly systemInstructions?: string | undefined;
  readonly input: string | readonly object[];
  readonly previousResponseId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly tools: readonly object[];
  readonly handoffs: readonly object[];
  readonly signal?: AbortSignal | undefined;
}

/** `Model` of the Agents SDK. */
export interface ModelLike {
  readonly supportsPromptModelSelection?: boolean;
  getResponse(request: ModelRequestLike): Promise<{ readonly output: readonly object[] }>;
  getStreamedResponse(request: ModelRequestLike): AsyncIterable<object>;
  getRetryAdvice?(args: { readonly request: ModelRequestLike; readonly error: unknown }): unknown;
}

/** `ModelProvider` of the Agents SDK. */
export interface ModelProviderLike<Model extends ModelLike = ModelLike> {
  getModel(modelName?: string): Promise<Model> | Model;
}

/** A `FunctionTool` of the Agents SDK. */
export interface AgentTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: 'object';
    readonly properties: Record<string, object>;
    readonly required: string[];
    readonly additionalProperties: true;
  };
  readonly strict: boolean;
  readonly invoke: (
    context: unknown,
    input: string,
    details?: { readonly toolCall?: { readonly callId: string } },
  ) => Promise<unknown>;
  readonly needsApproval: () => Promise<boolean>;
  readonly isEnabled: () => Promise<boolean>;
}
