import type { TemplateValue } from '@palimpsest/templates';
import { untrustedLine, visibleText, withoutOurTags } from './untrusted-text.js';

/** The facts about the workspace that the model is told. Fields that are not set are not mentioned. */
export interface WorkspaceContext {
  readonly repository?: {
    readonly name?: string;
    readonly directory?: string;
    readonly branch?: string;
    /** What differs from the last commit, a line for each file, when the conversation began. */
    readonly changes?: readonly string[];
    /** The newest commits, a line for each. */
    readonly commits?: readonly string[];
    /** The top of the file tree, a line for each file or folder; the indentation is kept. */
    readonly files?: readonly string[];
    /** Instruction files of folders below the working directory, which the model reads before it works there. */
    readonly nestedInstructions?: readonly string[];
  };
  readonly runtime?: {
    readonly workingDirectory?: string;
    /** The present day in UTC: `2026-11-21`. */
    readonly date?: string;
    /** The operating system, as in `linux x64`. */
    readonly platform?: string;
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
      changes: lines(repository.changes),
      commits: lines(repository.commits),
      files: lines(repository.files),
      nested_instructions: lines(repository.nestedInstructions),
    }),
    repository_instructions: withoutOurTags(repositoryInstructions),
    runtime_info: orNull({
      // Not on one line as names are: two spaces in a path are two.
      working_dir: withoutOurTags(visibleText(runtime.workingDirectory ?? '').replace(/\n/g, ' ')),
      date: runtime.date ?? '',
      platform: runtime.platform ?? '',
      available_hosts: runtime.hosts ?? {},
      additional_agent_instructions: runtime.instructions ?? '',
      custom_secrets_descriptions: secrets,
    }),
    conversation_instructions: orNull({ content: conversationInstructions }),
  };
}

/** A longer name is cut. Unit: characters. */
const maxLineCharacters = 400;

/** A section is shown if any of its fields is set. */
function orNull(section: Readonly<Record<string, TemplateValue>>): TemplateValue {
  const isEmpty = (value: TemplateValue) =>
    value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.values(section).every(isEmpty) ? null : section;
}

/** The branch name is untrusted: anyone who can push a branch chooses it. */
function oneLine(name = ''): string {
  return untrustedLine(name, maxLineCharacters);
}

/** Names of files and commits are untrusted: anyone who can make a file or a commit chooses them. */
function lines(texts: readonly string[] = []): readonly string[] {
  return texts.map((text) => (/^ */.exec(text)?.[0] ?? '') + untrustedLine(text, maxLineCharacters));
}
