/** The name of the tool with which a model marks a result as no longer needed. */
export const relevanceToolName = 'relevance_condenser';

/** The name of the tool with which a model gets an original back. */
export const recallToolName = 'recall';
