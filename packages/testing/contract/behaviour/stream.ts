import { OWN_CONNECTION } from '../session/caller';
import { CheckedEndpoint } from '../session/checked-endpoint';
import type { TheSession } from '../session/session';

/** Another client's open transaction on the same database server can delay events for up to a minute. */
const TOLD_MS = 75_000;

interface StreamEvent {
  event: string;
  id: string | null;
  data: string;
}

/** Tests live changes as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function describeStream(session: TheSession): void {
  describe('the stream', () => {
    it('sends a change of state immediately, with the ID of the check', async () => {
      const endpoint = await CheckedEndpoint.take(session());
      const stream = await EventStream.open(session().url, session().read.key ?? '');
      try {
        await stream.until(({ event }) => event === 'ready');
        const change = await endpoint.change('down');
        // If a transaction is open when a stream starts, the stream starts before that transaction. The first event may
        // then be the check that found the endpoint up.
        const { id, data } = await stream.until((each) => statusIn(each, endpoint) === 'down');
        expect(id).toBe(change.id);
        expect(JSON.parse(data)).toMatchObject({
          id: change.id,
          endpoint_id: endpoint.id,
          website_id: endpoint.websiteId,
          previous_status: change.from,
          status: 'down',
          error: { code: 'status_unexpected' },
        });
      } finally {
        await stream.close();
      }
    });

    it('sends missed events to a client that reconnects with the ID of the last event', async () => {
      const endpoint = await CheckedEndpoint.take(session());
      const before = await EventStream.open(session().url, session().read.key ?? '');
      await before.until(({ event }) => event === 'ready');
      await endpoint.change('down');
      const last = await before.until((each) => statusIn(each, endpoint) === 'down');
      await before.close();
      const up = await endpoint.change('up');
      const stream = await EventStream.open(session().url, session().read.key ?? '', last.id ?? '');
      try {
        const { id } = await stream.until((each) => FOUND.includes(statusIn(each, endpoint)));
        expect(id).toBe(up.id);
      } finally {
        await stream.close();
      }
    });
  });
}

/** The outcomes of conclusive checks. If the machine stalls, inconclusive checks are sent as well. */
const FOUND: readonly (string | null)[] = ['up', 'down'];

/** Returns the endpoint's status in the event, or null. */
function statusIn({ event, data }: StreamEvent, { id }: CheckedEndpoint): string | null {
  if (event !== 'check') return null;
  const told = JSON.parse(data) as { endpoint_id: string; status: string };
  return told.endpoint_id === id ? told.status : null;
}

class EventStream {
  private text = '';
  private readonly decoder = new TextDecoder();

  private constructor(
    private readonly reader: { read(): Promise<{ value?: Uint8Array; done: boolean }>; cancel(): Promise<void> },
    private readonly aborted: AbortController,
  ) {}

  static async open(url: string, key: string, lastEventId?: string): Promise<EventStream> {
    const aborted = new AbortController();
    const timer = setTimeout(() => aborted.abort(new Error('the stream sent nothing in time')), TOLD_MS);
    timer.unref();
    const last = lastEventId && { 'last-event-id': lastEventId };
    const headers = { ...OWN_CONNECTION, authorization: `Bearer ${key}`, ...last };
    const response = await fetch(`${url}/api/v1/stream`, { headers, signal: aborted.signal });
    if (!response.body) throw new Error(`the stream has no body: ${response.status}`);
    return new EventStream(response.body.getReader(), aborted);
  }

  /**
   * Returns the next matching event and drops earlier ones. Rejects if the stream ends, or if no event matches in time.
   */
  async until(isIt: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const event = parsed(this.text.slice(0, end));
        this.text = this.text.slice(end + 2);
        if (isIt(event)) return event;
        continue;
      }
      const { value, done } = await this.reader.read();
      if (done) throw new Error('the stream ended');
      this.text += this.decoder.decode(value, { stream: true });
    }
  }

  async close(): Promise<void> {
    await this.reader.cancel().catch(() => {});
    this.aborted.abort();
  }
}

function parsed(text: string): StreamEvent {
  const fields = Object.fromEntries(
    text.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  return { event: fields['event'] ?? 'message', id: fields['id'] ?? null, data: fields['data'] ?? '' };
}
