import type { ActionEvent, ToolDefinition } from '@palimpsest/events';
import type { PermissionDecision, Permissions } from './permissions.js';

/** Options of {@link permissionPolicy}. */
export interface PermissionPolicyOptions {
  readonly permissions: Permissions;
  /** The tools of the agent. Those marked `readOnly` run without a rule. */
  readonly tools: readonly Pick<ToolDefinition, 'name' | 'annotations'>[];
  /**
   * The fate of a call that must be asked about. `deny`: it does not run, and the model is told why. `wait`: it waits for
   * confirmation.
   * @defaultValue 'deny': nobody may be there to ask
   */
  readonly onAsk?: 'deny' | 'wait';
}

/** Options of an `Agent` of `@palimpsest/agent`; another loop calls the two functions itself. */
export interface PermissionPolicy {
  readonly confirmation: {
    /** Returns true if a call waits for confirmation. */
    asks(action: ActionEvent, input: unknown): boolean;
  };
  readonly hooks: {
    /** The veto of a call that does not run, with a reason for the model. What must be asked about runs if it is confirmed. */
    beforeToolUse(
      action: ActionEvent,
      input: unknown,
      call?: { readonly isConfirmed: boolean },
    ): { readonly veto: string } | undefined;
  };
}

/** The most rules that the model is told of. */
const toldRules = 20;

/**
 * Returns the options by which permission rules reach an agent. Calls of tools marked `readOnly` run, all others need a rule that allows them or a
 * confirmation. What a rule denies does not run, whoever confirms it.
 */
export function permissionPolicy(options: PermissionPolicyOptions): PermissionPolicy {
  const { permissions, tools, onAsk = 'deny' } = options;
  const readOnly = new Set(tools.flatMap(({ name, annotations }) => (annotations?.readOnly === true ? [name] : [])));
  const decide = ({ toolCall: { name } }: ActionEvent, input: unknown): Decided => {
    const decided = permissions.decide({ toolName: name, input });
    return { ...decided, outcome: decided.outcome ?? (readOnly.has(name) ? 'allow' : 'ask') };
  };
  return {
    confirmation: { asks: (action, input) => onAsk === 'wait' && decide(action, input).outcome === 'ask' },
    hooks: {
      beforeToolUse: (action, input, call) => {
        const decided = decide(action, input);
        // A yes that somebody gave earlier, or elsewhere, counts in every run.
        if (decided.outcome === 'allow' || (decided.outcome === 'ask' && call?.isConfirmed === true)) return undefined;
        return { veto: denial(decided, permissions.allow) };
      },
    },
  };
}

type Decided = PermissionDecision & { readonly outcome: NonNullable<PermissionDecision['outcome']> };

function denial({ outcome, reason }: Decided, allow: readonly string[]): string {
  const rules = allow.slice(0, toldRules).join(', ') + (allow.length > toldRules ? ', …' : '');
  return [
    `Denied, not run. ${reason}`,
    outcome === 'ask' ? 'It needs the yes of the user, and nobody can be asked in this run.' : '',
    rules === '' ? 'No rule allows a call.' : `Without a question you may call: ${rules}.`,
    'Tools that only read may be called as well. Do not try to reach the same in another way.',
    'If the work cannot be done without it, say in your final answer what you need and why.',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
