import type { ImageContent, Message } from '@palimpsest/events';
import { checkAnthropicRequest } from '@palimpsest/provider-servers/rules';
import { describe, expect, it } from 'vitest';
import { imageLimit, withinImageLimit } from './image-limit.js';
import { toMessagesRequest } from './request.js';

const image = (name: number): ImageContent => ({ type: 'image', url: `https://example.org/${name}.png` });
const withImages = (count: number): Message[] => [
  { role: 'user', content: Array.from({ length: count }, (_, index) => image(index)) },
];
const shown = (messages: readonly Message[]) =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'image' ? [part.url] : [])));

describe('images in a request', () => {
  it('are as many as the window of the model allows', () => {
    expect(imageLimit({ contextWindow: 200_000 })).toBe(100);
    expect(imageLimit({ contextWindow: 1_000_000 })).toBe(600);
    expect(imageLimit({})).toBe(600);
    for (const [model, limit] of [
      ['claude-opus-4-5', 100],
      ['claude-opus-5-5', 600],
    ] as const) {
      const body = toMessagesRequest({ messages: withImages(limit + 1) }, { model });
      expect(checkAnthropicRequest(JSON.parse(JSON.stringify(body)))).toEqual([]);
    }
  });

  it('stay as they are where they fit', () => {
    const messages = withImages(10);
    expect(withinImageLimit(messages, 10)).toBe(messages);
  });

  it('give way to the newest, in steps, and say so', () => {
    const messages = withinImageLimit(withImages(11), 10);
    expect(shown(messages)).toEqual([5, 6, 7, 8, 9, 10].map((name) => image(name).url));
    expect(messages[0]?.content[0]).toMatchObject({
      type: 'text',
      text: expect.stringContaining('10 at most') as string,
    });
    // The same ones are hidden while the next four come, so that the cached prefix stays.
    for (const count of [12, 13, 14, 15]) expect(shown(withinImageLimit(withImages(count), 10))[0]).toBe(image(5).url);
    expect(shown(withinImageLimit(withImages(16), 10))[0]).toBe(image(10).url);
  });

  it('take with them the thinking that is bound to them', () => {
    const thinkingBlocks = [{ type: 'thinking' as const, thinking: 'Hm.', signature: 's' }];
    const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], thinkingBlocks };
    const sent = (count: number) =>
      JSON.stringify(
        toMessagesRequest({ messages: [...withImages(count), answer, ...withImages(1)] }, { model: 'claude-opus-5-5' }),
      );
    expect(sent(599)).toContain('"thinking"');
    expect(sent(600)).not.toContain('"thinking"');
  });
});
