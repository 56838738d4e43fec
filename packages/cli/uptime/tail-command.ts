import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient } from './api-client';
import { ApiProblem } from './api-problem';
import { CommandError, type Io } from './io';
import { EventReader, type ServerSentEvent } from './server-sent-events';
import { type Colour, type Paint, painter, shown } from './style';

/** The service sends a ping every ten seconds. */
const SILENCE_MS = 35_000;
const LONGEST_DELAY_MS = 30_000;

/** Follows what happens, a line for each event, until `stop`. After a loss of the connection it goes on where it was. */
export async function tail(io: Io, api: ApiClient, { json }: { json?: boolean }, stop: AbortSignal): Promise<0> {
  const paint = painter(io.hasColour);
  let position: string | null = null;
  let failures = 0;
  while (!stop.aborted) {
    try {
      await follow(api, position, stop, (event) => {
        failures = 0;
        position = event.id ?? position;
        const line = json ? jsonLine(event) : eventLine(event, paint);
        if (line !== null) io.out(`${line}\n`);
      });
      // A service that stops, or a key that ended, ends the stream in order.
      if (!stop.aborted && failures === 0) io.err('The service ended the stream. Trying again.\n');
    } catch (error) {
      if (stop.aborted) break;
      if (isFinal(error)) throw error;
      if (failures === 0) io.err(`${error instanceof Error ? error.message : String(error)} Trying again.\n`);
    }
    if (stop.aborted) break;
    failures += 1;
    await wait(Math.min(LONGEST_DELAY_MS, 250 * 2 ** failures), undefined, { signal: stop }).catch(() => undefined);
  }
  return 0;
}

/** One connection, until it ends. Throws when it fails or falls silent. */
async function follow(
  api: ApiClient,
  position: string | null,
  stop: AbortSignal,
  take: (event: ServerSentEvent) => void,
): Promise<void> {
  const silence = new AbortController();
  const fallSilent = () => silence.abort(new DOMException('no ping', 'TimeoutError'));
  const timer = setTimeout(fallSilent, SILENCE_MS);
  try {
    const headers: Record<string, string> = position === null ? {} : { 'Last-Event-ID': position };
    const request = { path: '/stream', accept: 'text/event-stream', headers };
    const stream = await api.open(request, AbortSignal.any([stop, silence.signal]));
    const reader = new EventReader();
    const decoder = new TextDecoder();
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
      timer.refresh();
      for (const event of reader.push(decoder.decode(chunk, { stream: true }))) take(event);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The connection was lost (${error instanceof Error ? error.message : String(error)}).`);
  } finally {
    clearTimeout(timer);
  }
}

/** What waiting does not change. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status < 500 && error.status !== 429 && error.status !== 408;

/** Events for programs: what the stream sent, one JSON object a line. Greetings and pings are left out. */
function jsonLine({ event, id, data }: ServerSentEvent): string | null {
  if (event === 'ping' || event === 'ready') return null;
  const value = read(data);
  return value === null ? null : JSON.stringify({ event, id, data: value });
}

/** An event for people; null for what tells nothing. */
export function eventLine({ event, data }: ServerSentEvent, paint: Paint): string | null {
  if (event === 'reset')
    return 'Too much was missed to go on where it was: what follows is new, ls shows how things stand.';
  const value = read(data);
  if (value === null) return null;
  const text = (name: string): string => {
    const found = value[name];
    return typeof found === 'string' ? shown(found) : '';
  };
  const line = (at: string, colour: Colour, word: string, rest: readonly string[]): string =>
    [at === '' ? '-' : at, paint(colour, word.padEnd(9)), ...rest.filter((part) => part !== '')].join('  ');
  if (event === 'check') {
    const code = codeOf(value['error']);
    return line(text('checked_at'), COLOURS[text('status')] ?? 'faint', text('status'), [
      text('endpoint_name'),
      `was ${text('previous_status')}`,
      code,
    ]);
  }
  if (event === 'alert')
    return line(text('created_at'), text('type') === 'resolved' ? 'green' : 'red', text('type'), [
      text('alert_type'),
      text('message'),
    ]);
  if (event === 'maintenance')
    return line('', 'cyan', `window ${text('state')}`, [
      text('name'),
      text('state') === 'started' ? `until ${text('until')}` : '',
    ]);
  if (event === 'acknowledgement') return acknowledgementLine(value, line);
  return null;
}

const COLOURS: Readonly<Record<string, Colour>> = { up: 'green', down: 'red', unknown: 'yellow' };

type Line = (at: string, colour: Colour, word: string, rest: readonly string[]) => string;

function acknowledgementLine({ endpoint_id: endpoint, acknowledgement }: Fields, line: Line): string {
  const id = typeof endpoint === 'string' ? shown(endpoint) : '';
  if (!isFields(acknowledgement)) return line('', 'cyan', 'in hand', [id, 'no longer']);
  const { at, by, note } = acknowledgement;
  const said = [by, note].map((part) => (typeof part === 'string' ? shown(part) : ''));
  return line(typeof at === 'string' ? shown(at) : '', 'cyan', 'in hand', [id, ...said]);
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function read(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const codeOf = (error: unknown): string => {
  if (!isFields(error)) return '';
  const { code } = error;
  return typeof code === 'string' ? shown(code) : '';
};
