import type { Message } from '@palimpsest/events';
import { itemMessages } from '../render/messages.js';
import type { RenderOptions } from '../view.js';
import type { View } from '../view.js';

/**
 * Returns the messages of a view without its instructions, rendered item by item from `view.sent()`. Nothing is
 * remembered, so `view.toMessages()` and renderers of your own can be compared with it.
 */
export function messagesOfItems(view: View, options: RenderOptions = {}): readonly Message[] {
  const order = view.sent();
  const merged: Message[] = [];
  for (const item of order.items) {
    const joins = item.kind === 'words' && !item.afterAssistant;
    for (const message of itemMessages(item, order, options)) {
      const last = merged.at(-1);
      if (joins && message.role === 'user' && last?.role === 'user') {
        merged.splice(-1, 1, { role: 'user', content: [...last.content, ...message.content] });
      } else {
        merged.push(message);
      }
    }
  }
  return merged;
}
