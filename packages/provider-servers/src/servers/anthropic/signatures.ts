import { reportFor } from '../../rules/wire/violation.js';
import type { Violation } from '../../rules/wire/violation.js';
import { objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { claudeModel } from '../../rules/anthropic/model.js';
import { promptPieces } from './prompt-pieces.js';
import type { PromptPiece } from './prompt-pieces.js';
import { isThinking } from '../../rules/anthropic/parts.js';
import { bindingControls } from '../../rules/anthropic/thinking.js';

/** One entry of `input_transformations`. */
export interface InputTransformation {
  readonly type: 'thinking_dropped' | 'thinking_mismatch_allowed';
  readonly path: string;
  readonly reason: 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

/** The result of checking the thinking of a request. */
export interface ThinkingCheck {
  readonly violations: readonly Violation[];
  readonly transformations: readonly InputTransformation[];
}

/** The claims of a signature about its block. */
interface Claims {
  readonly model: string;
  /** The id of the answer, the index of the block among its thinking blocks, and their count. */
  readonly message: string;
  readonly index: number;
  readonly count: number;
  /** The digest of the thinking text, which is empty for redacted thinking. */
  readonly thinking: string;
  /** For a model that binds: digests of the prompt before the block, and of the previous thinking block. */
  readonly prefix?: Prefix;
  readonly before?: string;
}

interface Prefix {
  readonly tools: string;
  readonly system: string;
  readonly messages: string;
}

interface Sent {
  readonly piece: PromptPiece;
  readonly claims: Claims;
  readonly prefix: Prefix;
}

/**
 * Returns the blocks of an answer with signed thinking. The signature covers the thinking. For a model that binds, it also
 * covers the tools, the system prompt, the messages before the block, and the previous thinking block.
 *
 * @see provider-rules A.6, A17
 */
export function signThinking(
  content: readonly JsonObject[],
  answer: {
    readonly body: JsonObject;
    readonly messageId: string;
    /** Paths of thinking blocks that the model did not receive. */
    readonly dropped: ReadonlySet<string>;
    readonly seals: Seals;
  },
): readonly JsonObject[] {
  const { body, messageId, dropped, seals } = answer;
  const model = textIn(body.model) ?? '';
  const messages = [
    ...(Array.isArray(body.messages) ? (body.messages as unknown[]) : []),
    { role: 'assistant', content },
  ];
  const pieces = promptPieces({ ...body, messages });
  const prefixes = prefixesOf(pieces, seals);
  const count = content.filter((block) => isThinking({ type: textIn(block.type) ?? '' })).length;
  let before = pieces
    .slice(0, pieces.length - content.length)
    .findLast((piece) => isThinking(piece) && !dropped.has(piece.path));
  let index = 0;
  return content.map((block, at) => {
    const place = pieces.length - content.length + at;
    const piece = pieces[place];
    const prefix = prefixes[place];
    if (piece === undefined || prefix === undefined || !isThinking(piece)) return block;
    const isBound = claudeModel(model).binding !== 'none';
    const claims: Claims = {
      model,
      message: messageId,
      index: index++,
      count,
      thinking: seals.digest(textIn(block.thinking) ?? ''),
      ...(isBound ? { prefix, ...(before === undefined ? {} : { before: seals.digest(tokenOf(before)) }) } : {}),
    };
    const token = seals.seal(claims);
    const signed = block.type === 'thinking' ? { ...block, signature: token } : { ...block, data: token };
    before = { ...piece, value: signed };
    return signed;
  });
}

/** Checks the thinking in a request as the provider does. */
export function checkThinking(body: JsonObject, betas: readonly string[], seals: Seals): ThinkingCheck {
  const report = reportFor('A17');
  const model = textIn(body.model) ?? '';
  const pieces = promptPieces(body);
  const prefixes = prefixesOf(pieces, seals);
  const latest = pieces.findLast(({ role }) => role === 'assistant')?.turn;
  const violations: Violation[] = [];
  const sent: Sent[] = [];
  pieces.forEach((piece, at) => {
    const prefix = prefixes[at];
    if (!isThinking(piece) || prefix === undefined) return;
    const claims = claimsOf(piece, seals);
    if (claims === undefined) violations.push(report(piece.path, invalid(piece)));
    else if (claims.thinking !== seals.digest(textIn(piece.value.thinking) ?? '')) {
      violations.push(report(piece.path, piece.turn === latest ? modified : invalid(piece)));
    } else sent.push({ piece, claims, prefix });
  });
  const misplaced = outOfPlace(sent.filter(({ piece }) => piece.turn === latest));
  if (misplaced !== undefined) violations.push(report(misplaced.path, modified));
  if (violations.length > 0) return { violations, transformations: [] };

  const isForeign = ({ claims }: Sent) => !canRead(model, claims);
  const foreign = sent.filter(isForeign).map(({ piece }) => drop(piece, 'model_binding_mismatch'));
  const own = sent.filter((block) => !isForeign(block));
  const { binding } = claudeModel(model);
  const failed = binding === 'none' ? undefined : mismatchIn(own, seals);
  if (failed === undefined) return { violations, transformations: foreign };
  const { at, change } = failed;
  if (binding === 'signed') {
    const path = own[at]?.piece.path ?? '';
    const allowed = { type: 'thinking_mismatch_allowed', path, reason: 'prefix_binding_mismatch' } as const;
    return { violations, transformations: [...foreign, allowed] };
  }
  const control = objectIn(objectIn(body.thinking)?.block_binding);
  if (control?.prefix_mismatch_behavior === 'drop_block') {
    const gone = own.slice(at).map(({ piece }) => drop(piece, 'prefix_binding_mismatch'));
    return { violations, transformations: [...foreign, ...gone] };
  }
  const bound = own.slice(at, at + 1).map(({ piece }) => report(piece.path, boundElsewhere(piece, change, betas)));
  return { violations: bound, transformations: [] };
}

/**
 * Returns the first block whose prompt differs from its signature, and the difference. Thinking may be missing only at either
 * end.
 */
function mismatchIn(sent: readonly Sent[], seals: Seals): { readonly at: number; readonly change: string } | undefined {
  for (const [at, { claims, prefix }] of sent.entries()) {
    const before = sent[at - 1];
    const signed = claims.prefix;
    if (signed?.system !== prefix.system) {
      return { at, change: 'The `system` prompt differs from the one this block was created with.' };
    }
    if (signed.tools !== prefix.tools) return { at, change: 'The `tools` differ from those it was created with.' };
    if (signed.messages !== prefix.messages) return { at, change: 'The messages before it differ.' };
    if (before !== undefined && claims.before !== seals.digest(tokenOf(before.piece))) {
      return { at, change: 'The thinking before it differs.' };
    }
  }
  return undefined;
}

/** In the latest turn, the thinking of its last answer must be complete and in order, or completely absent. */
function outOfPlace(sent: readonly Sent[]): PromptPiece | undefined {
  const last = sent.at(-1)?.claims;
  const answer = sent.filter(({ claims }) => claims.message === last?.message);
  const wrong = answer.findIndex(({ claims }, index) => claims.index !== index);
  if (wrong !== -1) return answer[wrong]?.piece;
  return last !== undefined && answer.length !== last.count ? answer.at(-1)?.piece : undefined;
}

/** For each piece, the digests of the pieces before it. Thinking is excluded. */
function prefixesOf(pieces: readonly PromptPiece[], seals: Seals): readonly Prefix[] {
  const digests = { tools: '', system: '', messages: '' };
  return pieces.map((piece) => {
    const before = { ...digests };
    if (!isThinking(piece)) digests[piece.section] = seals.digest(digests[piece.section] + piece.text);
    return before;
  });
}

function canRead(model: string, claims: Claims): boolean {
  return claims.model === model || claudeModel(claims.model).thinkingIsReadableByOthers;
}

function claimsOf(piece: PromptPiece, seals: Seals): Claims | undefined {
  return seals.open(tokenOf(piece)) as Claims | undefined;
}

function tokenOf({ value }: PromptPiece): string {
  return textIn(value.type === 'thinking' ? value.signature : value.data) ?? '';
}

function drop({ path }: PromptPiece, reason: InputTransformation['reason']): InputTransformation {
  return { type: 'thinking_dropped', path, reason };
}

function invalid({ type }: PromptPiece): string {
  return `Invalid \`signature\` in \`${type}\` block`;
}

const modified =
  '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as ' +
  'they were in the original response.';

function boundElsewhere(piece: PromptPiece, change: string, betas: readonly string[]): string {
  const header = `That setting requires the \`${bindingControls}\` value in the \`anthropic-beta\` header. `;
  return (
    `${invalid(piece)}. The block is bound to a different conversation. Remove the block, or set ` +
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". ' +
    `${betas.includes(bindingControls) ? '' : header}${change}`
  );
}

/** A maker and opener of tokens that cannot be forged without the key. */
export interface Seals {
  /** A short digest of a text. */
  digest(text: string): string;
  /** The claims as a token. */
  seal(claims: object): string;
  /** The claims of a token; undefined if it is not a token or was sealed with another key. */
  open(token: string): unknown;
}

/** Creates seals with a key. Only this function loads `node:crypto`, so the rest of the folder runs without Node. */
export async function sealsFrom(key: string): Promise<Seals> {
  const { createHash, createHmac } = await import('node:crypto');
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    digest: (text) => createHash('sha256').update(text).digest('base64url').slice(0, 16),
    seal: (claims) => {
      const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${text}.${mac(text)}`;
    },
    open: (token) => {
      const [text = '', code] = token.split('.');
      if (code !== mac(text)) return undefined;
      return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    },
  };
}
