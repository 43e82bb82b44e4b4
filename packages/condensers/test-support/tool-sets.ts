/** A call of a tool as a model makes it, and what the tool answers. */
export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | string;
  readonly answer: string;
}

/** The tools of one agent, by what they do. A path is one that the session knows; `text` is what a file holds. */
export interface ToolSet {
  readonly name: string;
  readonly read: (path: string, text: string) => ToolUse;
  readonly create: (path: string, text: string) => ToolUse;
  readonly modify: (path: string, before: string, after: string) => ToolUse;
  /** @defaultValue `rm` in a shell, as an agent without such a tool does it */
  readonly remove?: (path: string) => ToolUse;
  /** @defaultValue `mv` in a shell */
  readonly move?: (from: string, to: string) => ToolUse;
  readonly run: (command: string, status: number, output: string) => ToolUse;
  /** Looks that touch no file. */
  readonly look: (folder: string, word: string) => ToolUse;
}

const numbered = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .join('\n');
const prefixed = (mark: string, text: string): string =>
  text
    .split('\n')
    .map((line) => mark + line)
    .join('\n');

/**
 * Names and shapes of arguments as coding agents and tool servers publish them, and some that nobody does. A set that the manifest
 * was changed for is seen from then on: whoever makes such a change adds a new set at the end, and notes how it did at first sight.
 * So far the sets 1, 5, 10, 11 and 13 led to changes; 2 to 4, 6 to 9, 12, 14 and 15 were read without a fault at first sight.
 */
export const toolSets: readonly ToolSet[] = [
  {
    name: 'an editor with target_file',
    read: (path, text) => ({
      name: 'read_file',
      input: { target_file: path, should_read_entire_file: true, explanation: 'To see what is there' },
      answer: text,
    }),
    create: (path, text) => ({
      name: 'edit_file',
      input: { target_file: path, instructions: 'Create it', code_edit: text },
      answer: `The file ${path} has been created.`,
    }),
    modify: (path, before, after) => ({
      name: 'search_replace',
      input: { file_path: path, old_string: before, new_string: after },
      answer: 'The edit was applied.',
    }),
    remove: (path) => ({
      name: 'delete_file',
      input: { target_file: path, explanation: 'Not used' },
      answer: `Successfully deleted ${path}`,
    }),
    run: (command, status, output) => ({
      name: 'run_terminal_cmd',
      input: { command, is_background: false, explanation: 'Check' },
      answer: `Exit code: ${status}\nCommand output:\n${output}`,
    }),
    look: (folder, word) => ({
      name: 'codebase_search',
      input: { query: `where is ${word}?`, target_directories: [folder] },
      answer: `${folder}/a.ts:3: ${word}`,
    }),
  },
  {
    name: 'a command line with absolute paths',
    read: (path, text) => ({ name: 'read_many_files', input: { paths: [path] }, answer: `--- ${path} ---\n\n${text}` }),
    create: (path, text) => ({
      name: 'write_file',
      input: { file_path: path, content: text },
      answer: `Successfully created and wrote to new file: ${path}.`,
    }),
    modify: (path, before, after) => ({
      name: 'replace',
      input: { file_path: path, old_string: before, new_string: after, expected_replacements: 1 },
      answer: `Successfully modified file: ${path} (1 replacements).`,
    }),
    run: (command, status, output) => ({
      name: 'run_shell_command',
      input: { command, description: 'Runs it', directory: 'src' },
      answer: `Command: ${command}\nDirectory: src\nStdout: ${output}\nStderr: (empty)\nError: (none)\nExit Code: ${status}\nSignal: 0\nBackground PIDs: (none)`,
    }),
    look: (folder, word) => ({
      name: 'search_file_content',
      input: { pattern: word, path: folder, include: '*.ts' },
      answer: `Found 1 match for pattern "${word}"`,
    }),
  },
  {
    name: 'patches in a shell',
    read: (path, text) => ({
      name: 'shell',
      input: { command: ['bash', '-lc', `sed -n '1,200p' ${path}`], timeout_ms: 10_000 },
      answer: JSON.stringify({ output: text, metadata: { exit_code: 0, duration_seconds: 0.1 } }),
    }),
    create: (path, text) => ({
      name: 'apply_patch',
      input: { input: `*** Begin Patch\n*** Add File: ${path}\n${prefixed('+', text)}\n*** End Patch` },
      answer: `Success. Updated the following files:\nA ${path}`,
    }),
    modify: (path, before, after) => ({
      name: 'apply_patch',
      input: `*** Begin Patch\n*** Update File: ${path}\n@@\n${prefixed('-', before)}\n${prefixed('+', after)}\n*** End Patch`,
      answer: `Success. Updated the following files:\nM ${path}`,
    }),
    remove: (path) => ({
      name: 'apply_patch',
      input: { input: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` },
      answer: `Success. Updated the following files:\nD ${path}`,
    }),
    move: (from, to) => ({
      name: 'apply_patch',
      input: { input: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n@@\n-a\n+b\n*** End Patch` },
      answer: `Success. Updated the following files:\nM ${to}`,
    }),
    run: (command, status, output) => ({
      name: 'shell',
      input: { command: ['bash', '-lc', command], workdir: '/work' },
      answer: JSON.stringify({ output, metadata: { exit_code: status, duration_seconds: 1.2 } }),
    }),
    look: (folder, word) => ({
      name: 'update_view',
      input: { query: word, folder },
      answer: 'nothing found',
    }),
  },
  {
    name: 'tags read as arguments',
    read: (path, text) => ({ name: 'read_file', input: { path }, answer: text }),
    create: (path, text) => ({
      name: 'write_to_file',
      input: { path, content: text, line_count: 3 },
      answer: `The content was successfully saved to ${path}.`,
    }),
    modify: (path, before, after) => ({
      name: 'replace_in_file',
      input: { path, diff: `------- SEARCH\n${before}\n=======\n${after}\n+++++++ REPLACE` },
      answer: `The content was successfully saved to ${path}.`,
    }),
    run: (command, status, output) => ({
      name: 'execute_command',
      input: { command, requires_approval: false },
      answer: `Command executed. Exit code: ${status}\nOutput:\n${output}`,
    }),
    look: (folder, word) => ({
      name: 'search_files',
      input: { path: folder, regex: word, file_pattern: '*.ts' },
      answer: `Found 1 result.\n\n${folder}/a.ts\n│----\n│${word}`,
    }),
  },
  {
    name: 'a file server',
    read: (path, text) => ({ name: 'read_text_file', input: { path, head: 100 }, answer: text }),
    create: (path, text) => ({
      name: 'write_file',
      input: { path, content: text },
      answer: `Successfully wrote to ${path}`,
    }),
    modify: (path, before, after) => ({
      name: 'edit_file',
      input: { path, edits: [{ oldText: before, newText: after }], dryRun: false },
      answer: '```diff\n-a\n+b\n```',
    }),
    move: (from, to) => ({
      name: 'move_file',
      input: { source: from, destination: to },
      answer: `Successfully moved ${from} to ${to}`,
    }),
    run: (command, status, output) => ({
      name: 'developer__shell',
      input: { command },
      answer: status === 0 ? `${output}\nexit code: 0` : `${output}\nCommand failed with exit code ${status}`,
    }),
    look: (folder, word) => ({
      name: 'search_files',
      input: { path: folder, pattern: word, excludePatterns: [] },
      answer: 'No matches found',
    }),
  },
  {
    name: 'an editor with capital letters',
    read: (path, text) => ({
      name: 'view_file',
      input: { AbsolutePath: path, StartLine: 0, EndLine: 200 },
      answer: numbered(text),
    }),
    create: (path, text) => ({
      name: 'write_to_file',
      input: { TargetFile: path, CodeContent: text, EmptyFile: false },
      answer: `Created file ${path} with requested content.`,
    }),
    modify: (path, before, after) => ({
      name: 'replace_file_content',
      input: {
        TargetFile: path,
        Instruction: 'Change it',
        ReplacementChunks: [{ AllowMultiple: false, TargetContent: before, ReplacementContent: after }],
      },
      answer: 'The following changes were made.',
    }),
    run: (command, status, output) => ({
      name: 'run_command',
      input: { CommandLine: command, Cwd: '/work', Blocking: true },
      answer: `The command completed.\nOutput:\n${output}\nExit Code: ${status}`,
    }),
    look: (folder, word) => ({
      name: 'grep_search',
      input: { SearchDirectory: folder, Query: word, CaseInsensitive: true },
      answer: 'No results',
    }),
  },
  {
    name: 'one tool with verbs',
    read: (path, text) => ({
      name: 'text_editor_20250728',
      input: { command: 'view', path, view_range: [1, 40] },
      answer: numbered(text),
    }),
    create: (path, text) => ({
      name: 'text_editor_20250728',
      input: { command: 'create', path, file_text: text },
      answer: `File created successfully at: ${path}`,
    }),
    modify: (path, before, after) => ({
      name: 'text_editor_20250728',
      input: { command: 'str_replace', path, old_str: before, new_str: after },
      answer: `The file ${path} has been edited.`,
    }),
    run: (command, status, output) => ({
      name: 'execute_ipython_or_bash',
      input: { command, security_risk: 'LOW' },
      answer: `${output}\n[The command completed with exit code ${status}.]\n[Current working directory: /work]`,
    }),
    look: (folder, word) => ({ name: 'find_by_word', input: { query: word, folder }, answer: '0 results' }),
  },
  {
    name: 'a workbench with camel case',
    read: (path, text) => ({
      name: 'readFile',
      input: { filePath: path, startLineNumberBaseOne: 1, endLineNumberBaseOne: 80 },
      answer: text,
    }),
    create: (path, text) => ({
      name: 'createFile',
      input: { filePath: path, content: text },
      answer: 'The following files were successfully created:',
    }),
    modify: (path, before, after) => ({
      name: 'replaceStringInFile',
      input: { explanation: 'Change it', filePath: path, oldString: before, newString: after },
      answer: 'The following files were successfully edited:',
    }),
    remove: (path) => ({ name: 'fileDelete', input: { file_path: path }, answer: `File deleted: ${path}.` }),
    move: (from, to) => ({
      name: 'moveFile',
      input: { source_path: from, destination_path: to },
      answer: `File moved from ${from} to ${to}.`,
    }),
    run: (command, status, output) => ({
      name: 'runInTerminal',
      input: { command, explanation: 'Check', isBackground: false },
      answer: `${output}\nCommand exited with code ${status}`,
    }),
    look: (folder, word) => ({
      name: 'semanticSearch',
      input: { query: `${word} in ${folder}` },
      answer: 'Here are the results',
    }),
  },
  {
    name: 'names that nobody uses: a library of leaves',
    read: (path, text) => ({ name: 'peek_leaf', input: { leafFile: path, lineStart: 1, lineEnd: 90 }, answer: text }),
    create: (path, text) => ({
      name: 'put_leaf',
      input: { leafFile: path, leafContents: text },
      answer: `New file ${path} stored.`,
    }),
    modify: (path, before, after) => ({
      name: 'patch_leaf',
      input: { leafFile: path, beforeText: before, afterText: after },
      answer: 'Leaf changed.',
    }),
    remove: (path) => ({ name: 'erase_leaf', input: { leafFile: path }, answer: 'Gone.' }),
    run: (command, status, output) => ({
      name: 'ask_the_os',
      input: { shellCommand: command },
      answer: `return code: ${status}\n${output}`,
    }),
    look: (folder, word) => ({ name: 'rummage', input: { needle: word, under: folder }, answer: 'not here' }),
  },
  {
    name: 'names that nobody uses: relative paths',
    read: (path, text) => ({ name: 'inspect_source', input: { relative_path: path }, answer: text }),
    create: (path, text) => ({
      name: 'scaffold_text',
      input: { relative_path: path, body: text },
      answer: 'File created.',
    }),
    modify: (path, _before, after) => ({
      name: 'replace_symbol_body',
      input: { name_path: 'Thing/run', relative_path: path, body: after },
      answer: 'OK',
    }),
    remove: (path) => ({ name: 'unlink_path', input: { relative_path: path }, answer: 'OK' }),
    run: (command, status, output) => ({
      name: 'execute_shell',
      input: { cmd: command, cwd: '/work' },
      answer: JSON.stringify({ stdout: output, stderr: '', return_code: status, cwd: '/work' }),
    }),
    look: (folder, word) => ({
      name: 'find_symbol',
      input: { name_path_pattern: word, relative_path: folder, include_body: false },
      answer: '[]',
    }),
  },
  {
    name: 'a terminal helper with verbs in front',
    read: (path, text) => ({
      name: 'fs_read',
      input: { operations: [{ mode: 'Line', path, start_line: 1, end_line: 50 }], summary: 'Look at it' },
      answer: text,
    }),
    create: (path, text) => ({
      name: 'fs_write',
      input: { command: 'create', path, file_text: text, summary: 'Add it' },
      answer: '',
    }),
    modify: (path, before, after) => ({
      name: 'fs_write',
      input: { command: 'str_replace', path, old_str: before, new_str: after, summary: 'Change it' },
      answer: '',
    }),
    run: (command, status, output) => ({
      name: 'execute_bash',
      input: { command, summary: 'Check' },
      answer: JSON.stringify({ exit_status: String(status), stdout: output, stderr: '' }),
    }),
    look: (folder, word) => ({
      name: 'fs_read',
      input: { operations: [{ mode: 'Search', path: folder, pattern: word }] },
      answer: '[]',
    }),
  },
  {
    name: 'a sandbox with commands and cells',
    read: (path, text) => ({ name: 'file_read', input: { file: path, sudo: false }, answer: text }),
    create: (path, text) => ({
      name: 'file_write',
      input: { file: path, content: text, append: false },
      answer: `Wrote ${text.length} bytes`,
    }),
    modify: (path, before, after) => ({
      name: 'file_str_replace',
      input: { file: path, old_str: before, new_str: after },
      answer: 'Replacement completed',
    }),
    run: (command, status, output) => ({
      name: 'shell_exec',
      input: { id: 'main', exec_dir: '/work', command },
      answer: `${output}\n[exit status: ${status}]`,
    }),
    look: (folder, word) => ({
      name: 'file_find_by_name',
      input: { path: folder, glob: `*${word}*` },
      answer: 'No files',
    }),
  },
  {
    name: 'names that nobody uses: a scribe',
    read: (path, text) => ({ name: 'recite', input: { manuscriptPath: path }, answer: numbered(text) }),
    create: (path, text) => ({
      name: 'inscribe',
      input: { manuscriptPath: path, newContents: text },
      answer: 'A new file was made.',
    }),
    modify: (path, before, after) => ({
      name: 'amend',
      input: { manuscriptPath: path, originalPassage: before, updatedPassage: after },
      answer: 'Amended.',
    }),
    remove: (path) => ({ name: 'delete_manuscript', input: { manuscriptPath: path }, answer: 'Deleted.' }),
    move: (from, to) => ({
      name: 'rename_manuscript',
      input: { oldPath: from, newPath: to },
      answer: 'Renamed.',
    }),
    run: (command, status, output) => ({
      name: 'incant',
      input: { bash_script: command },
      answer: `${output}\nThe process exited with status ${status}`,
    }),
    look: (folder, word) => ({ name: 'leaf_through', input: { keywords: [word], shelf: folder }, answer: 'nothing' }),
  },
  {
    name: 'a notebook of tickets and files',
    read: (path, text) => ({
      name: 'GetFileContents',
      input: { fileName: path, maxLines: 400 },
      answer: JSON.stringify({ fileName: path, text }),
    }),
    create: (path, text) => ({
      name: 'CommitNewFile',
      input: { fileName: path, fileContents: text, message: 'Add it' },
      answer: JSON.stringify({ ok: true, sha: '9f2c1ab' }),
    }),
    modify: (path, before, after) => ({
      name: 'UpdateFile',
      input: { fileName: path, findText: before, replaceText: after },
      answer: JSON.stringify({ ok: true, replaced: 1 }),
    }),
    remove: (path) => ({ name: 'RemoveFile', input: { fileName: path }, answer: JSON.stringify({ ok: true }) }),
    run: (command, status, output) => ({
      name: 'RunScript',
      input: { script: command, timeoutSeconds: 60 },
      answer: JSON.stringify({ returnCode: status, stdout: output, stderr: '' }),
    }),
    look: (folder, word) => ({
      name: 'ListMatches',
      input: { pattern: word, directory: folder },
      answer: JSON.stringify({ matches: [] }),
    }),
  },
  {
    name: 'names that nobody uses: a gardener',
    read: (path, text) => ({ name: 'examine_bed', input: { bed_file: path }, answer: text }),
    create: (path, text) => ({
      name: 'sow',
      input: { bed_file: path, seed_text: text },
      answer: `Created ${path}`,
    }),
    modify: (path, before, after) => ({
      name: 'graft',
      input: { bed_file: path, old_growth: before, new_growth: after },
      answer: 'It took.',
    }),
    remove: (path) => ({ name: 'remove_bed', input: { bed_file: path }, answer: 'Cleared.' }),
    move: (from, to) => ({ name: 'move_bed', input: { from, to }, answer: 'Moved.' }),
    run: (command, status, output) => ({
      name: 'tend',
      input: { cmd: command },
      answer: `<output>${output}</output>\n<exit_code>${status}</exit_code>`,
    }),
    look: (folder, word) => ({ name: 'search_beds', input: { query: word, below: folder }, answer: 'none' }),
  },
  {
    name: 'operations in a list',
    read: (path, text) => ({
      name: 'fs_read',
      input: { operations: [{ mode: 'Line', path, start_line: 1, end_line: -1 }], summary: 'Read it' },
      answer: text,
    }),
    create: (path, text) => ({
      name: 'fs_write',
      input: { command: 'create', path, file_text: text, summary: 'Begin' },
      answer: '',
    }),
    modify: (path, before, after) => ({
      name: 'fs_write',
      input: { command: 'str_replace', path, old_str: before, new_str: after },
      answer: '',
    }),
    run: (command, status, output) => ({
      name: 'execute_bash',
      input: { command, summary: 'Run it' },
      answer: JSON.stringify({ exit_status: `${status}`, stdout: output, stderr: '' }),
    }),
    look: (folder, word) => ({
      name: 'fs_read',
      input: { operations: [{ mode: 'Search', path: folder, pattern: word }] },
      answer: `{"matches":[],"file_path":"${folder}"}`,
    }),
  },
  {
    name: 'an editor that writes by itself',
    read: (path, text) => ({ name: 'read_file', input: { path, start_line: 1, end_line: 80 }, answer: text }),
    create: (path, text) => ({
      name: 'edit_file',
      input: { display_description: 'Begin', path, mode: 'create' },
      answer: `Created ${path}\n\n\`\`\`\n${text}\n\`\`\``,
    }),
    modify: (path, before, after) => ({
      name: 'edit_file',
      input: { display_description: 'Change it', path, mode: 'edit' },
      answer: `Edited ${path}:\n\n\`\`\`diff\n-${before.slice(0, 40)}\n+${after.slice(0, 40)}\n\`\`\``,
    }),
    remove: (path) => ({ name: 'delete_path', input: { path }, answer: `Deleted ${path}` }),
    move: (from, to) => ({
      name: 'move_path',
      input: { source_path: from, destination_path: to },
      answer: `Moved ${from} to ${to}`,
    }),
    run: (command, status, output) => ({
      name: 'terminal',
      input: { command, cd: '.' },
      answer:
        status === 0
          ? `\`\`\`\n${output}\n\`\`\``
          : `Command "${command}" failed with exit code ${status}.\n\n\`\`\`\n${output}\n\`\`\``,
    }),
    look: (folder, word) => ({
      name: 'grep',
      input: { regex: word, include_pattern: `${folder}/**` },
      answer: 'No matches found',
    }),
  },
];
