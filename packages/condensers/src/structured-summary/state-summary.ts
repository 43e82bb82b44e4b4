import * as z from 'zod/mini';

/** One field of a {@link StateSummary}. */
interface StateField {
  /** The label for a person. */
  readonly label: string;
  /** The description for the model. */
  readonly description: string;
}

/**
 * The fields of a structured summary, in the order of the written summary and with its headings.
 *
 * @see StructuredSummaryCondenser of OpenHands at d6fab190 for the fields; the words are our own
 */
const sections = {
  'Core Information': {
    user_context: {
      label: 'User context',
      description:
        'What the user wants: goals, rules, corrections, answers to questions, in their own words where the wording matters. Not empty.',
    },
    completed_tasks: {
      label: 'Completed tasks',
      description:
        'What was done, each with its result in a few words, and with its exact id where the tasks are tracked. Not empty: say so where nothing is done.',
    },
    pending_tasks: {
      label: 'Pending tasks',
      description:
        'What is still to do, in order, with exact ids and status where the tasks are tracked. Not empty: say so where nothing is left.',
    },
    current_state: {
      label: 'Current state',
      description:
        'Values, settings, running processes, the working directory, and other facts that later steps build on.',
    },
  },
  'Code Changes': {
    files_modified: {
      label: 'Files modified',
      description: 'Files that were created, changed or deleted, with exact paths and what was done to each.',
    },
    function_changes: {
      label: 'Function changes',
      description: 'Functions, methods and classes that were added or changed, with their signatures.',
    },
    data_structures: {
      label: 'Data structures',
      description: 'Key types, schemas and tables that are used or were changed.',
    },
    dependencies: {
      label: 'Dependencies',
      description: 'Packages and tools that were added or are needed, with versions.',
    },
  },
  'Testing Status': {
    tests_written: { label: 'Tests written', description: 'Whether tests were written: true, false or unknown.' },
    tests_passing: {
      label: 'Tests passing',
      description: 'Whether all tests passed when last run: true, false or unknown.',
    },
    failing_tests: { label: 'Failing tests', description: 'The exact names of the tests that failed when last run.' },
    error_messages: {
      label: 'Error messages',
      description: 'Exact messages of errors that are not solved, and what was tried against them without success.',
    },
  },
  'Version Control': {
    branch_created: { label: 'Branch created', description: 'Whether a branch was made: true, false or unknown.' },
    branch_name: { label: 'Branch name', description: 'The exact name of the branch.' },
    commits_made: { label: 'Commits made', description: 'Whether anything was committed: true, false or unknown.' },
    pr_created: {
      label: 'Pull request created',
      description: 'Whether a pull request was made: true, false or unknown.',
    },
    pr_status: {
      label: 'Pull request status',
      description: 'Its status: draft, open, merged, closed or unknown, with its number or address where known.',
    },
  },
  'Additional Context': {
    other_relevant_context: {
      label: 'Other relevant context',
      description: 'What else later steps need: identifiers letter by letter, decisions and their reasons.',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, StateField>>>>;

type Sections = typeof sections;

/** The name of one of the 18 fields. */
export type StateSummaryField = { [Title in keyof Sections]: keyof Sections[Title] & string }[keyof Sections];

/** The content of a structured summary. A field without information is empty. */
export type StateSummary = Readonly<Record<StateSummaryField, string>>;

const fields = /* @__PURE__ */ (() =>
  Object.values(sections).flatMap((section) =>
    Object.entries(section as Readonly<Record<string, StateField>>),
  ) as readonly (readonly [StateSummaryField, StateField])[])();

/** Returns the names of the 18 fields, in order. */
export const stateSummaryFields: readonly StateSummaryField[] = /* @__PURE__ */ fields.map(([name]) => name);

/** The required fields: an answer without them is not a summary. */
export const requiredFields: readonly StateSummaryField[] = ['user_context', 'completed_tasks', 'pending_tasks'];

/** Returns the JSON schema of a {@link StateSummary} with the given required fields. */
export function stateSummaryJsonSchema(required: readonly StateSummaryField[]): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(
    fields.map(([name, { description }]) => [name, { type: 'string', description }]),
  );
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Reads a summary from a model's answer. The required fields must be present; the others are optional. */
export function stateSummarySchema(): z.ZodMiniType<StateSummary> {
  // Models also write other values in place of text: a boolean, a number, a list.
  const single = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String));
  const nothing = z.pipe(
    z.null(),
    z.transform(() => ''),
  );
  const list = z.pipe(
    z.array(single),
    z.transform((items) => items.map((item) => `- ${item}`).join('\n')),
  );
  const value = z.union([single, nothing, list]);
  const members = stateSummaryFields.map(
    (name) => [name, requiredFields.includes(name) ? value : z._default(value, '')] as const,
  );
  return z.object(Object.fromEntries(members) as Record<StateSummaryField, typeof value>);
}

/** Returns the summary as the agent reads it: Markdown with every field, including empty ones. */
export function renderStateSummary(summary: StateSummary): string {
  const blocks = Object.entries(sections).map(([title, section]) => {
    const lines = Object.entries(section as Readonly<Record<string, StateField>>).map(([name, { label }]) =>
      line(label, summary[name as StateSummaryField].trim()),
    );
    return [`## ${title}`, ...lines].join('\n\n');
  });
  return ['# State Summary', ...blocks].join('\n\n');
}

/** Returns a value of several lines starts on the line after its label, so that lists stay lists. */
function line(label: string, text: string): string {
  return text === '' ? `**${label}**:` : `**${label}**:${text.includes('\n') ? '\n' : ' '}${text}`;
}
