/** How much a response may hold. */
export interface BodyBounds {
  /** The longest message: a whole body, or one event of a stream. Unit: bytes. */
  readonly most: number;
  /** Called with the length of each piece of a stream; false if there were too many. */
  readonly take: (bytes: number) => boolean;
  /** The message that stands for one that is too long, with which the body then ends. Undefined: the bound is exceeded. */
  readonly standIn: () => string | undefined;
  /** Called once, when a bound is exceeded; the body then fails. */
  readonly exceeded: (problem: string) => void;
}

/** A blank line ends an event. */
const ends = ['\n\n', '\r\n\r\n', '\r\r'];

/** The same response, whose body ends or fails where it exceeds its bounds. */
export function boundedBody(response: Response, { most, take, standIn, exceeded }: BodyBounds): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let length = 0;
  /** The pieces of a body that is one message: nobody can read a part of it. */
  let held: Uint8Array[] = [];
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = isStream ? Math.max(...ends.map((each) => bytes.lastIndexOf(each))) : -1;
      length = end === -1 ? length + bytes.length : bytes.length - end;
      const isTooLong = length > most;
      if (!isTooLong && !isStream) return void held.push(chunk);
      if (!isTooLong && take(bytes.length)) return controller.enqueue(chunk);
      held = [];
      const instead = isTooLong ? standIn() : undefined;
      if (instead !== undefined) {
        // The event that has begun ends first; it is no message.
        controller.enqueue(Buffer.from(isStream ? `\n\ndata: ${instead}\n\n` : instead));
        return controller.terminate();
      }
      const problem = isTooLong ? `sent a message of more than ${most / 2 ** 20} MiB` : 'sent without end';
      exceeded(problem);
      controller.error(new Error(problem));
    },
    flush(controller) {
      for (const chunk of held) controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
