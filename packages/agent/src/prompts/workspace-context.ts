import type { TemplateValue } from '@palimpsest/templates';

/** The facts about the workspace that the model is told. Fields that are not set are not mentioned. */
export interface WorkspaceContext {
  readonly repository?: {
    readonly name?: string;
    readonly directory?: string;
    readonly branch?: string;
  };
  readonly runtime?: {
    readonly workingDirectory?: string;
    /** The present day in UTC: `2026-11-21`. */
    readonly date?: string;
    /** Host to port. */
    readonly hosts?: Readonly<Record<string, number>>;
    readonly instructions?: string;
  };
  /** Names of secrets with their purpose, never their values. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Instructions for this conversation only. */
  readonly conversationInstructions?: string;
}

/**
 * The variables of `additional_info.j2`, with the names that the field's templates use. All are defined: null if the value is
 * unknown.
 */
export function workspaceVariables(
  { repository = {}, runtime = {}, secrets = {}, conversationInstructions = '' }: WorkspaceContext,
  repositoryInstructions: string,
): Readonly<Record<string, TemplateValue>> {
  return {
    repository_info: orNull({
      repo_name: oneLine(repository.name),
      repo_directory: oneLine(repository.directory),
      branch_name: oneLine(repository.branch),
    }),
    repository_instructions: withoutOurTags(repositoryInstructions),
    runtime_info: orNull({
      working_dir: runtime.workingDirectory ?? '',
      date: runtime.date ?? '',
      available_hosts: runtime.hosts ?? {},
      additional_agent_instructions: runtime.instructions ?? '',
      custom_secrets_descriptions: secrets,
    }),
    conversation_instructions: orNull({ content: conversationInstructions }),
  };
}

/** A section is shown if any of its fields is set. */
function orNull(section: Readonly<Record<string, TemplateValue>>): TemplateValue {
  const isEmpty = (value: TemplateValue) =>
    value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.values(section).every(isEmpty) ? null : section;
}

const ourTags =
  /<(?=\/?(?:REPOSITORY_INFO|REPOSITORY_INSTRUCTIONS|RUNTIME_INFORMATION|CONVERSATION_INSTRUCTIONS|EXTRA_INFO)\b)/gi;

/** The branch name is untrusted: anyone who can push a branch chooses it. */
function oneLine(name = ''): string {
  return withoutOurTags(name.replace(/\s+/g, ' '));
}

/** Breaks the tags of our sections inside a text, so that a document cannot close its section and open another. */
export function withoutOurTags(text: string): string {
  return text.replace(ourTags, '< ');
}
