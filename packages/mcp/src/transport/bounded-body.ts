/** How much a response may hold. */
export interface BodyBounds {
  /** The longest message: a whole body, or one event of a stream. Unit: bytes. */
  readonly most: number;
  /** Called with the length of each piece of a stream; false if there were too many. */
  readonly take: (bytes: number) => boolean;
  /** Called once, when a bound is exceeded; the body then fails. */
  readonly exceeded: (problem: string) => void;
}

/** A blank line ends an event. */
const ends = ['\n\n', '\r\n\r\n', '\r\r'];

/** The same response, whose body fails where it exceeds its bounds. */
export function boundedBody(response: Response, { most, take, exceeded }: BodyBounds): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let length = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = isStream ? Math.max(...ends.map((each) => bytes.lastIndexOf(each))) : -1;
      length = end === -1 ? length + bytes.length : bytes.length - end;
      if (length <= most && (!isStream || take(bytes.length))) return controller.enqueue(chunk);
      const problem = length > most ? `sent a message of more than ${most / 2 ** 20} MiB` : 'sent without end';
      exceeded(problem);
      controller.error(new Error(problem));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
