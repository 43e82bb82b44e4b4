/* oxlint-disable palimpsest/layers -- opencode gives these to the plugins of its terminal, and nobody installs them */
import { createElement, insert, setProp } from '@opentui/solid';
import type { Element } from '@opentui/solid';
import { createSignal } from 'solid-js';
import { messageIn, published } from './bus.js';
import type { Answer, Ask } from './bus.js';

/** The part that is used of opencode's interface for plugins of its terminal. */
interface Terminal {
  readonly client: { readonly tui: { readonly publish: (request: { readonly body: unknown }) => Promise<unknown> } };
  readonly event: { readonly on: (type: 'tui.command.execute', handler: (event: unknown) => void) => () => void };
  readonly keymap: { readonly registerLayer: (layer: { readonly commands: readonly Command[] }) => () => void };
  readonly slots: { readonly register: (plugin: unknown) => unknown };
  readonly route: { readonly current: { readonly name: string; readonly params?: { readonly sessionID?: unknown } } };
  /** Unit: lines. */
  readonly renderer: { readonly height: number };
  readonly theme: { readonly current: Readonly<Record<string, unknown>> };
  readonly ui: {
    readonly DialogConfirm: (props: object) => Element;
    readonly DialogPrompt: (props: object) => Element;
    readonly toast: (toast: { readonly variant: 'info' | 'warning'; readonly message: string }) => void;
    readonly dialog: {
      readonly replace: (draw: () => Element) => void;
      readonly clear: () => void;
      readonly setSize: (size: 'medium' | 'large' | 'xlarge') => void;
    };
  };
}

interface Command {
  readonly name: string;
  readonly namespace: 'palette';
  readonly title: string;
  readonly category: string;
  readonly slashName: string;
  readonly run: () => Promise<void>;
}

/** An answer that has not come by then is not waited for. Unit: milliseconds. */
const answerWaitMs = 30_000;

/** The half of the plugin that opencode's terminal loads: its commands, which ask no model, and its status line. */
export default {
  id: 'palimpsest',
  tui: async (terminal: Terminal): Promise<void> => {
    const { ui, event, keymap, slots } = terminal;
    const waiting = new Map<string, (answer: Answer) => void>();
    const [statuses, setStatuses] = createSignal<Readonly<Record<string, string>>>({});
    let count = 0;

    event.on('tui.command.execute', (one) => {
      const answer = messageIn('answer', one);
      if (answer !== undefined) waiting.get(answer.id)?.(answer);
      const status = messageIn('status', one);
      if (status !== undefined) setStatuses({ ...statuses(), [status.sessionID]: status.text });
    });

    const ask = async (question: Omit<Ask, 'id'>): Promise<string | undefined> => {
      const id = `${process.pid}-${++count}`;
      const answer = new Promise<Answer>((resolve) => {
        waiting.set(id, resolve);
        setTimeout(() => resolve({ id, text: 'There is no answer: see the log of opencode.' }), answerWaitMs).unref();
      });
      await terminal.client.tui.publish({ body: published('ask', { ...question, id }) });
      const { text } = await answer;
      waiting.delete(id);
      return text;
    };

    const say = (message = '') => ui.toast({ variant: 'info', message });

    const command = (slashName: string, title: string, run: (sessionID: string) => void | Promise<void>): Command => ({
      name: `palimpsest.${slashName}`,
      namespace: 'palette',
      title,
      category: 'Palimpsest',
      slashName,
      run: async () => {
        ui.dialog.clear();
        const sessionID = terminal.route.current.params?.sessionID;
        if (typeof sessionID !== 'string') return say('Open a session first.');
        try {
          await run(sessionID);
        } catch (error) {
          ui.toast({ variant: 'warning', message: `Palimpsest: ${String(error)}` });
        }
      },
    });
    const refresh = async (sessionID: string) => {
      const text = await ask({ verb: 'status', sessionID });
      if (text !== undefined) setStatuses({ ...statuses(), [sessionID]: text });
    };

    const commands = [
      command('condense', 'Condense this session now, with a focus', (sessionID) =>
        ui.dialog.replace(() =>
          ui.DialogPrompt({
            title: 'Condense this session',
            placeholder: 'What matters now (may be empty)',
            onCancel: () => ui.dialog.clear(),
            onConfirm: async (focus: string) => {
              ui.dialog.clear();
              say(await ask({ verb: 'condense', sessionID, ...(focus.trim() === '' ? {} : { focus }) }));
              await refresh(sessionID);
            },
          }),
        ),
      ),
      command('condensed', 'Show what was condensed, and what it saved', async (sessionID) => {
        const text = await ask({ verb: 'condensed', sessionID });
        ui.dialog.replace(() => pageOf(text ?? '', terminal));
        ui.dialog.setSize('xlarge');
      }),
      command('uncondense', 'Take the newest condensation back', async (sessionID) => {
        const price = await ask({ verb: 'undo-price', sessionID });
        if (price === undefined) return say('No condensation is in force in this session.');
        ui.dialog.replace(() =>
          ui.DialogConfirm({
            title: 'Take the newest condensation back?',
            message: price,
            onCancel: () => ui.dialog.clear(),
            onConfirm: async () => {
              ui.dialog.clear();
              say(await ask({ verb: 'undo', sessionID }));
              await refresh(sessionID);
            },
          }),
        );
      }),
      command('palimpsest', 'Turn condensation on or off in this session', async (sessionID) => {
        say(await ask({ verb: 'switch', sessionID }));
        await refresh(sessionID);
      }),
    ];
    let removeLayer = keymap.registerLayer({ commands });
    // A prompt that was there before this plugin lists what is registered after it.
    const registerAgain = () => {
      removeLayer();
      removeLayer = keymap.registerLayer({ commands });
    };

    slots.register({
      order: 100,
      slots: {
        session_prompt_right: (_: unknown, { session_id }: { readonly session_id: string }): Element => {
          const line = createElement('text');
          insert(line, () => (statuses()[session_id] === undefined ? '' : `palimpsest: ${statuses()[session_id]}`));
          setProp(line, 'fg', terminal.theme.current['textMuted']);
          void refresh(session_id).catch(() => undefined);
          setTimeout(registerAgain);
          return line;
        },
      },
    });
  },
};

/** A page that scrolls. A dialog begins at a quarter of the screen. */
function pageOf(text: string, { theme, renderer }: Terminal): Element {
  const lines = createElement('text');
  setProp(lines, 'fg', theme.current['text']);
  insert(lines, text);
  const scroll = createElement('scrollbox');
  const room = Math.floor((renderer.height * 3) / 4) - 4;
  setProp(scroll, 'height', Math.max(5, Math.min(room, text.split('\n').length + 1)));
  setProp(scroll, 'focused', true);
  insert(scroll, lines);
  const box = createElement('box');
  setProp(box, 'paddingLeft', 2);
  setProp(box, 'paddingRight', 2);
  setProp(box, 'paddingBottom', 1);
  insert(box, scroll);
  return box;
}
