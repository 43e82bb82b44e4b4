import { field, textOf } from '@palimpsest/messages';

/** An answer of which the beginning was looked at. All of its bytes are still to be read. */
export interface LookedAt {
  readonly answer: Response;
  /** The provider's refusal, in the form that `afterError` of a history reads. @defaultValue it refuses nothing */
  readonly refusal?: { readonly status: number; readonly responseBody: string } | undefined;
}

/** Statuses with which providers say that a list is too long, or its thinking is bound. */
const statusesOfRefusal = [400, 413, 422];
/** A stream of the Responses API begins with these, and may refuse then. */
const beforeContent = ['response.created', 'response.queued', 'response.in_progress'];
/** A stream that has said nothing by then is passed on. Unit: characters. */
const mostLooked = 64 * 1024;

/** Looks whether an answer is a refusal, before the client sees a byte of it. */
export async function lookedAt(answer: Response): Promise<LookedAt> {
  const { status, headers, body } = answer;
  if (body === null) return { answer };
  if (statusesOfRefusal.includes(status)) {
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const responseBody = new TextDecoder().decode(bytes);
    return { answer: new Response(bytes, { status, headers }), refusal: { status, responseBody } };
  }
  const isStream = status === 200 && (headers.get('content-type') ?? '').includes('text/event-stream');
  return isStream ? lookedInto(answer, body) : { answer };
}

async function lookedInto(answer: Response, body: ReadableStream<Uint8Array>): Promise<LookedAt> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const chunks: Uint8Array[] = [];
  let text = '';
  let event: unknown;
  let isEnd = false;
  while (event === undefined && !isEnd && text.length < mostLooked) {
    const { done, value } = await reader.read();
    isEnd = done;
    if (value === undefined) continue;
    chunks.push(value);
    text += decoder.decode(value, { stream: true });
    event = firstContent(text);
  }
  const rest = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = chunks.shift() ?? (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const passed = new Response(rest, { status: answer.status, headers: answer.headers });
  const error = field(field(event, 'response'), 'error') ?? field(event, 'error');
  const type = textOf(field(event, 'type'));
  const said = error ?? (type === 'error' ? event : undefined);
  if (said === undefined || said === null) return { answer: passed };
  return { answer: passed, refusal: { status: 400, responseBody: JSON.stringify({ error: said }) } };
}

/** Returns the first whole event of a stream that is more than an announcement; `null` if it cannot be read. */
function firstContent(text: string): unknown {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const [, data = ''] of whole.matchAll(/^data: ?(.*)$/gm)) {
    try {
      const event: unknown = JSON.parse(data);
      if (!beforeContent.includes(textOf(field(event, 'type')) ?? '')) return event;
    } catch {
      return null;
    }
  }
  return undefined;
}
