/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  id: string | null;
  event: string;
  data: string;
}

/** The longest event that is read; a longer one is no event of ours. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** Puts events together from pieces of a stream, wherever they were cut. */
export class EventReader {
  private rest = '';

  /** The events that are complete now. Throws when one grows without an end. */
  push(piece: string): ServerSentEvent[] {
    const blocks = (this.rest + piece).split(/\r?\n\r?\n/);
    this.rest = blocks.pop() ?? '';
    if (this.rest.length > MAX_EVENT_CHARACTERS) throw new Error('an event of more than 1 MiB');
    return blocks.flatMap((block) => eventOf(block) ?? []);
  }
}

function eventOf(block: string): ServerSentEvent | null {
  const event: ServerSentEvent = { id: null, event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
    if (name === 'id') event.id = value;
    if (name === 'event') event.event = value;
    if (name === 'data') data.push(value);
  }
  if (data.length === 0) return null;
  return { ...event, data: data.join('\n') };
}
