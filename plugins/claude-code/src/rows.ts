import type { Codec, HostMessage } from '@palimpsest/messages';
import { anthropicMessages, field, isRecord, listOf } from '@palimpsest/messages';
import type { RowToolResult, RowToolUse, SessionRow, ToolSpec } from './host.js';

const blocks = anthropicMessages();

/** Returns the codec of the rows that Claude Code hands to `session.compact`: each is read as the message of its blocks. */
export function sessionRows(): Codec<SessionRow, ToolSpec> {
  return {
    name: 'claude-code',
    returnsNewPieces: true,
    mergesAnswers: true,
    read: (row): HostMessage =>
      isSessionRow(row)
        ? blocks.read(messageOf(row))
        : { pieces: [{ type: 'unread', path: '', reason: 'not a row of a session', value: row }] },
    summary: (text) => ({ role: 'user', text, toolUses: [] }),
    changed: (row, changes) => {
      if (!isSessionRow(row)) return row;
      const message = messageOf(row);
      const changed = blocks.changed(message, changes);
      return changed === message ? row : changed && rowOf(row, changed);
    },
    extracted: (row, id, as) => {
      const message = isSessionRow(row) ? blocks.extracted(messageOf(row), id, as) : undefined;
      return message && rowOf(row, message);
    },
    tool: ({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' },
      isDeferred: false,
    }),
  };
}

/** Returns true if a value has the shape of a row. */
export function isSessionRow(value: unknown): value is SessionRow {
  const [role, uses, results] = ['role', 'toolUses', 'toolResults'].map((name) => field(value, name));
  return (
    (role === 'user' || role === 'assistant') &&
    typeof field(value, 'text') === 'string' &&
    Array.isArray(uses) &&
    uses.every((use) => typeof field(use, 'tool_use_id') === 'string' && isRecord(field(use, 'input'))) &&
    (results === undefined || (Array.isArray(results) && results.every(isResult)))
  );
}

function isResult(value: unknown): value is RowToolResult {
  return ['tool_use_id', 'text'].every((name) => typeof field(value, name) === 'string');
}

/** Returns a row with what a model reads of it, and nothing else: no handle, no record of the tool. */
export function bareRow({ role, text, toolUses, toolResults = [] }: SessionRow): SessionRow {
  const uses = toolUses.map(({ tool_use_id, tool, input }): RowToolUse => ({ tool_use_id, tool, input }));
  const results = toolResults.map(({ tool_use_id, text: said, isError }): RowToolResult => {
    return { tool_use_id, text: said, isError };
  });
  return { role, text, toolUses: uses, ...(results.length === 0 ? {} : { toolResults: results }) };
}

/** Returns true if a model reads nothing of the row: it stands for a thinking block. */
export function isBlankRow({ text, toolUses, toolResults = [] }: SessionRow): boolean {
  return text === '' && toolUses.length === 0 && toolResults.length === 0;
}

const keys = new WeakMap<SessionRow, string>();

/** Returns a text that two rows share if a model reads them alike. */
export function rowKey(row: SessionRow): string {
  const known = keys.get(row) ?? JSON.stringify(bareRow(row));
  keys.set(row, known);
  return known;
}

/** Returns the size of rows. Unit: tokens, at four characters each. */
export function tokensOf(rows: readonly SessionRow[]): number {
  return Math.ceil(rows.filter(isSessionRow).reduce((sum, row) => sum + rowKey(row).length, 0) / 4);
}

/** Results stand before words, and words before calls, as the API wants them. */
function messageOf({ role, text, toolUses, toolResults = [] }: SessionRow) {
  const content = [
    ...toolResults.map(({ tool_use_id, text: said, isError }) => ({
      ...{ type: 'tool_result', tool_use_id, content: said },
      ...(isError ? { is_error: true } : {}),
    })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...toolUses.map(({ tool_use_id, tool, input }) => ({ type: 'tool_use', id: tool_use_id, name: tool, input })),
  ];
  return { role, content };
}

function rowOf({ role }: SessionRow, message: object): SessionRow {
  const content = field(message, 'content');
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const ofType = (type: string) => parts.filter((part) => field(part, 'type') === type);
  const uses = ofType('tool_use').map((use): RowToolUse => {
    const [id, name, input] = ['id', 'name', 'input'].map((key) => field(use, key));
    return { tool_use_id: String(id), tool: String(name), input: isRecord(input) ? input : {} };
  });
  const results = ofType('tool_result').map((result): RowToolResult => {
    const [id, isError] = ['tool_use_id', 'is_error'].map((key) => field(result, key));
    return { tool_use_id: String(id), text: textIn(field(result, 'content')), isError: isError === true };
  });
  return bareRow({ role, text: textIn(ofType('text')), toolUses: uses, toolResults: results });
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .flatMap((part) => (field(part, 'type') === 'text' ? String(field(part, 'text')) : []))
    .join('\n');
}
