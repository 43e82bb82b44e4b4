/** The features that any generated log may have. */
export const cleanFeatures = [
  'parallel batch',
  'results in another order',
  'failed call',
  'image',
  'thinking',
  'internal event',
  'custom event',
  'environment words',
  'condensation request',
  'condensation',
  'summary',
  'redacted result',
  'redacted arguments',
  'revert',
] as const;

/** The features of dirty logs only: content that our agent never writes, but that a view must tolerate. */
export const dirtyFeatures = [
  'unanswered call',
  'late result',
  'duplicate result',
  'orphan result',
  'result before its call',
  'repeated open call id',
  'reused call id',
  'unsendable call id',
  'words inside a batch',
  'assistant words of the same response',
  'returning response',
  'few response ids for all',
  'usage of the agent',
  'usage of a condenser',
  'same response behind a result',
  'same id while a call waits',
  'same id after the user spoke',
  'same id after usage',
  'same id with words of its own',
  'repeated event id',
  'second system prompt',
  'repeated system prompt',
  'planted summary',
  'planted summary id',
  'blank words',
  'half a surrogate pair',
  'half a pair in signed thinking',
  'half a pair escaped in arguments',
  'thinking without words',
  'unknown part',
  'unknown thinking',
  'unknown source',
  'unknown role',
  'forgets unknown ids',
  'forgets a part of a batch',
  'forgets an open batch',
  'forgets an unanswered call',
  'forgets protected events',
  'empty condensation',
  'offset past the end',
  'offset inside a batch',
  'redaction that does not fit',
  'revert of nothing',
] as const;

/** One feature of a generated log. */
export type LogFeature = (typeof cleanFeatures)[number] | (typeof dirtyFeatures)[number];

/** The number of occurrences of each feature. */
export type FeatureCounts = Readonly<Record<LogFeature, number>>;

/** Returns the counts of several logs, added up, for printing. */
export function addFeatureCounts(all: readonly FeatureCounts[]): FeatureCounts {
  const features: readonly LogFeature[] = [...cleanFeatures, ...dirtyFeatures];
  return Object.fromEntries(
    features.map((feature) => [feature, all.reduce((sum, counts) => sum + counts[feature], 0)]),
  ) as Record<LogFeature, number>;
}
