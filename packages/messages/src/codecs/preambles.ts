import type { HostMessage } from './codec.js';

/**
 * The openings of what coding agents write in the user's place, as recorded requests of Claude Code, Codex, Gemini CLI and Qwen
 * Code hold it. Text in tags counts only if nothing stands behind the closing tag.
 */
const tags =
  'system-reminder|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)|task-notification|user-memory-input|' +
  'environment_context|user_instructions|permissions instructions|collaboration_mode|turn_aborted|skills?(?:_instructions)?|' +
  'subagent_notification|user_shell_command|session_context|INSTRUCTIONS|apps_instructions|plugins_instructions';
const tagged = new RegExp(`^\\s*<(${tags})(?:\\s[^>]*)?>`);
const openings =
  /^\s*(?:# AGENTS\.md instructions|\[Request interrupted by user|Caveat: The messages below were generated|This is the (?:Qwen Code|Gemini CLI)\. We are setting up the context)/;

/** Returns true if a text comes from the user's program and not from the user: its set-up, or a reminder. */
export function isPreamble(text: string): boolean {
  if (openings.test(text)) return true;
  let rest = text;
  for (let opening = tagged.exec(rest); opening !== null; opening = tagged.exec(rest)) {
    const closing = `</${opening[1] ?? ''}>`;
    const end = rest.indexOf(closing);
    if (end === -1) return false;
    rest = rest.slice(end + closing.length);
    if (rest.trim() === '') return true;
  }
  return false;
}

/** Returns a message in which the texts of the user's program are marked as such. */
export function withPreambles(host: HostMessage): HostMessage {
  if (host.role !== 'user') return host;
  const isOne = (piece: HostMessage['pieces'][number]) =>
    piece.type === 'content' && piece.part.type === 'text' && isPreamble(piece.part.text);
  if (!host.pieces.some(isOne)) return host;
  const pieces = host.pieces.map((piece) =>
    piece.type === 'content' && isOne(piece) ? { ...piece, isPreamble: true as const } : piece,
  );
  return { ...host, pieces };
}
