import { createEvent, isToolResult } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { ThinkingMode } from '../../view.js';
import { View } from '../../view-projection.js';
import { randomLog } from '../random-log.js';

/** A log on which a condenser is tried, with its name for messages. */
export interface NamedLog {
  readonly name: string;
  readonly events: readonly Event[];
}

/** A log on which a condenser is tried, and its view. */
export interface History extends NamedLog {
  readonly thinking: ThinkingMode;
  readonly view: View;
}

/** Returns the history of a log. Its view is made once, when it is first asked for. */
export function historyOf(log: NamedLog, thinking: ThinkingMode = 'prefix-bound'): History {
  let view: View | undefined;
  return {
    name: `${log.name} (${thinking})`,
    events: log.events,
    thinking,
    get view() {
      return (view ??= View.fromEvents(log.events, { thinking }));
    },
  };
}

/**
 * Returns the histories of a contract run: the log on which the condenser acts, the same with something pinned, the
 * caller's logs, the first one with dirt behind it, generated clean and dirty ones, 30 to 250 events long, a short one
 * with a result that nobody has read, and one that begins with set-up and holds a task in progress. Each comes a second
 * time with a request at its end.
 */
export function historiesOf(options: {
  readonly actsOn: readonly Event[];
  readonly logs: readonly NamedLog[];
  readonly seeds: readonly number[];
}): readonly History[] {
  const actsOn = { name: 'the log made for it', events: options.actsOn };
  const generated = options.seeds.flatMap((seed): readonly NamedLog[] => {
    const length = 30 + ((seed * 37) % 220);
    const tail = randomLog({ seed, length: 25, dirty: true, idPrefix: 'tail-' });
    return [
      randomLog({ seed, length }),
      randomLog({ seed, length, dirty: true }),
      ...(seed % 3 === 0
        ? [{ name: `${actsOn.name} + ${tail.name}`, events: [...actsOn.events, ...tail.events] }]
        : []),
    ];
  });
  return [actsOn, pinned(actsOn), ...options.logs, ...generated, unreadResult(), taskInProgress()].flatMap(
    (log, index) => {
      const thinking: ThinkingMode = index % 2 === 0 ? 'prefix-bound' : 'latest-turn';
      const history = historyOf(log, thinking);
      return [history, withRequest(history)];
    },
  );
}

/** A call whose result the model has not read, and three words of the environment behind it. */
function unreadResult(): NamedLog {
  const idOf = (id: string): { readonly id: string } => ({ id: `unread-${id}` });
  const text = (words: string) => [{ type: 'text', text: words }] as const;
  const toolCall = { id: 'unread-call', name: 'read', arguments: '{}' };
  return {
    name: 'a result that no response has followed',
    events: [
      createEvent('message', { ...idOf('user'), source: 'user', role: 'user', content: text('Read it.') }),
      createEvent('action', { ...idOf('action'), thought: [], toolCall, llmResponseId: 'unread-response' }),
      createEvent('observation', {
        ...idOf('result'),
        toolName: 'read',
        toolCallId: toolCall.id,
        content: text('UNREAD '.repeat(100)),
      }),
      ...[1, 2, 3].map((n) =>
        createEvent('message', {
          ...idOf(`note-${n}`),
          source: 'environment',
          role: 'user',
          content: text(`The branch changed ${n} times.`),
        }),
      ),
    ],
  };
}

/** A host's set-up, a task, 30 calls, and three messages of the user that no finished turn has answered. */
function taskInProgress(): NamedLog {
  const text = (words: string) => [{ type: 'text', text: words }] as const;
  const words = (id: string, source: 'user' | 'environment', said: string): Event =>
    createEvent('message', { id: `task-${id}`, source, role: 'user', content: text(said) });
  const events = [
    words('rules', 'environment', '<rules>Run the tests before you commit.</rules>'),
    words('request', 'user', 'Find the bug in the parser.'),
    words('environment', 'environment', '<environment>The branch is main.</environment>'),
  ];
  for (let step = 0; step < 30; step++) {
    const toolCall = { id: `task-call-${step}`, name: 'read', arguments: '{}' };
    const name = { toolName: toolCall.name, toolCallId: toolCall.id };
    events.push(
      createEvent('action', {
        id: `task-action-${step}`,
        thought: [],
        toolCall,
        llmResponseId: `task-response-${step}`,
      }),
      createEvent('observation', { id: `task-result-${step}`, ...name, content: text('FILE '.repeat(100)) }),
    );
    if (step === 5) events.push(words('change', 'user', 'Then mend it, and say why it was wrong.'));
    if (step === 9 || step === 20) events.push(words(`note-${step}`, 'user', `Leave module ${step} alone.`));
  }
  return { name: 'set-up and a task in progress', events };
}

/** The log with its first two results and a word of the agent pinned, as a user pins what must stay. */
function pinned({ name, events }: NamedLog): NamedLog {
  const results = events.filter(isToolResult).slice(0, 2);
  const words = events.find((event) => event.type === 'message' && event.source === 'agent');
  const eventIds = [...results, ...(words === undefined ? [] : [words])].map(({ id }) => id);
  const pin = createEvent('view/pin', { source: 'user', eventIds });
  return { name: `${name} + pin`, events: [...events, pin] };
}

/** The history with a request for condensation at its end. */
function withRequest({ name, events, thinking }: History): History {
  const request = createEvent('condensation-request', { reason: 'contract' });
  return historyOf({ name: `${name} + request`, events: [...events, request] }, thinking);
}

/** Returns the history with one more event. */
export function withEvent({ name, events, thinking }: History, event: Event): History {
  return historyOf({ name, events: [...events, event] }, thinking);
}
