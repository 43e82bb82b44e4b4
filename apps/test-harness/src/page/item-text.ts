import type { Event } from '@palimpsest/events';
import { textOfEvent } from '../measure/event-text.js';

/** The text of an event as a person reads it. The arguments of a call stand as JSON, one member a line. */
export function itemText(event: Event): string {
  if (event.type !== 'action') return textOfEvent(event).trim();
  const thought = event.thought.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
  const { name, arguments: json } = event.toolCall;
  return `${thought}\n${name} ${indented(json)}`.trim();
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
