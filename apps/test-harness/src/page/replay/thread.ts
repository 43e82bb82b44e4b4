import { messageOf } from '../../harness-error.js';
import type { Reply, Request } from './protocol.js';

/** A thread that replays. It is started with the first request. */
export interface Thread {
  /** Asks the thread; requests do not overlap. Rejects when the thread fails or is stopped. */
  ask(request: Request, onReply: (reply: Reply) => void): Promise<void>;
  /** Ends the thread at once, in the middle of a session too. The next request starts another one. */
  stop(): void;
}

/** The reason of a request that was given up. */
export class StoppedError extends Error {}

/** Makes a thread of a program. It is loaded from memory: the page may load nothing from elsewhere. */
export function threadOf(program: () => Promise<string>): Thread {
  let address: string | undefined;
  let worker: Worker | undefined;
  let giveUp: ((reason: Error) => void) | undefined;

  const stop = (): void => {
    worker?.terminate();
    worker = undefined;
    giveUp?.(new StoppedError());
  };

  const started = async (): Promise<Worker> => {
    address ??= URL.createObjectURL(new Blob([await program()], { type: 'text/javascript' }));
    return (worker ??= new Worker(address));
  };

  const ask: Thread['ask'] = (request, onReply) =>
    new Promise<void>((resolve, reject) => {
      let isOver = false;
      const end = (settle: () => void): void => {
        isOver = true;
        giveUp = undefined;
        settle();
      };
      giveUp = (reason) => end(() => reject(reason));
      started().then(
        (running) => {
          if (isOver) return;
          running.onmessage = ({ data }: MessageEvent<Reply>) => {
            if (data.type === 'done') end(resolve);
            else if (data.type === 'failed') end(() => reject(new Error(data.message)));
            else onReply(data);
          };
          running.onerror = ({ message }) => {
            end(() => reject(new Error(message || 'The browser ended the replay. Perhaps it needs more memory.')));
            stop();
          };
          running.postMessage(request);
        },
        (error: unknown) => end(() => reject(new Error(messageOf(error), { cause: error }))),
      );
    });
  return { ask, stop };
}
