import type { ActionEvent, CreateEvent, Event, EventId } from '@palimpsest/events';
import type { PreparedAction, PreparedCall, Toolset } from './tool-calls/call.js';

/** The risk of an action. */
export type SecurityRisk = NonNullable<ActionEvent['securityRisk']>;

/**
 * A rule for which actions wait for confirmation. `{ risk }`: actions of this risk or a higher one, and of unknown risk. A
 * function decides for each action. Calls of tools marked `readOnly` and calls that cannot be run never wait. `{ asks }` decides
 * for `readOnly` tools too, and reads the parsed input. One action that waits holds up all actions of its response.
 */
export type ConfirmationPolicy =
  | 'always'
  | 'never'
  | { readonly risk: 'low' | 'medium' | 'high' }
  | { readonly asks: (action: ActionEvent, input: unknown) => boolean }
  | ((action: ActionEvent) => boolean);

const order: ReadonlyMap<SecurityRisk, number> = new Map([
  ['low', 1],
  ['medium', 2],
  ['high', 3],
]);

/** Returns the actions that the policy asks about and that nobody has confirmed. A policy that throws asks about the action. */
export function unconfirmed(
  calls: readonly PreparedAction[],
  { confirmation: policy, tools }: { readonly confirmation: ConfirmationPolicy; readonly tools: Toolset },
  confirmed: ReadonlySet<EventId>,
): readonly ActionEvent[] {
  const waiting = calls.filter(({ action, prepared }) => {
    if (action.executable === false || confirmed.has(action.id)) return false;
    if (typeof policy === 'object' && 'asks' in policy) return asksWithInput(policy, action, prepared);
    if (tools.get(action.toolCall.name)?.annotations?.readOnly === true) return false;
    return asks(policy, action);
  });
  return waiting.map(({ action }) => action);
}

function asksWithInput(
  policy: Extract<ConfirmationPolicy, { readonly asks: unknown }>,
  action: ActionEvent,
  prepared: PreparedCall,
): boolean {
  // Nothing runs, whoever confirms it.
  if (prepared.type === 'refused') return false;
  try {
    // Anything but a no asks, a promise too.
    return (policy.asks(action, prepared.input) as unknown) !== false;
  } catch {
    return true;
  }
}

type SimplePolicy = Exclude<ConfirmationPolicy, { readonly asks: unknown }>;

function asks(policy: SimplePolicy, action: ActionEvent): boolean {
  if (policy === 'always') return true;
  if (policy === 'never') return false;
  if (typeof policy === 'object') return rankOf(action.securityRisk) >= rankOf(policy.risk);
  try {
    return policy(action);
  } catch {
    return true;
  }
}

export function higherRisk(one: SecurityRisk, other: SecurityRisk): SecurityRisk {
  return rankOf(one) >= rankOf(other) ? one : other;
}

/** A missing risk, or one of another version, counts as the highest. */
function rankOf(risk: SecurityRisk | undefined): number {
  return (risk === undefined ? undefined : order.get(risk)) ?? Number.POSITIVE_INFINITY;
}

/** @throws TypeError when the policy is not valid: a misspelt policy must not allow every action. */
export function assertConfirmationPolicy(policy: ConfirmationPolicy | undefined): void {
  if (policy === undefined || policy === 'always' || policy === 'never' || typeof policy === 'function') return;
  const risk = (policy as { readonly risk?: unknown } | null)?.risk;
  if (risk === 'low' || risk === 'medium' || risk === 'high') return;
  if (typeof (policy as { readonly asks?: unknown } | null)?.asks === 'function') return;
  throw new TypeError(
    `confirmation must be 'always', 'never', { risk: 'low' | 'medium' | 'high' }, { asks } or a function, not ${JSON.stringify(policy)}.`,
  );
}

const confirmedKey = 'confirmed-actions';
const begunKey = 'begun-actions';

/**
 * Makes the record that a person, or the application on their behalf, has confirmed actions. `open` are all actions of the response
 * without a result: none of them has begun, because actions that need no confirmation wait for the others.
 */
export function confirmationOf(
  actions: readonly ActionEvent[],
  open: readonly ActionEvent[],
  createEvent: CreateEvent,
): Event {
  const value = { actions: actions.map(({ id }) => id), notBegun: open.map(({ id }) => id) };
  return createEvent('conversation-state-update', { source: 'user', key: confirmedKey, value });
}

/** Returns the actions that an event confirms; none for any other event. */
export function confirmedBy(event: Event): readonly EventId[] {
  const value = saidByUser(event) ? valueOf(event, confirmedKey) : undefined;
  return idsIn(isRecord(value) ? value.actions : value);
}

/**
 * Returns the actions that had not begun when they were confirmed, and whose beginning the log will record. Records of older
 * versions do not name them, so their actions may have begun.
 */
export function releasedBy(event: Event): readonly EventId[] {
  const value = saidByUser(event) ? valueOf(event, confirmedKey) : undefined;
  return idsIn(isRecord(value) ? value.notBegun : undefined);
}

/** Makes the record that actions begin. It is appended before the first of them is carried out. */
export function beginningOf(actions: readonly ActionEvent[], createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key: begunKey, value: actions.map(({ id }) => id) });
}

/** Returns the actions that an event records as begun; none for any other event. */
export function begunBy(event: Event): readonly EventId[] {
  return idsIn(valueOf(event, begunKey));
}

/** A yes of anybody else is none. */
function saidByUser({ source }: Event): boolean {
  return source === 'user';
}

function valueOf(event: Event, key: string): unknown {
  return event.type === 'conversation-state-update' && event.key === key ? event.value : undefined;
}

function idsIn(value: unknown): readonly EventId[] {
  return Array.isArray(value) ? value.filter((id): id is EventId => typeof id === 'string') : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
