import type { StreamEvent, UptimeClient, UptimeError } from '../../client/index.cjs';
import { errorText } from './error-text';
import type { Io } from './io';
import { type Colour, type Paint, painter, shown } from './style';

/** Prints one line per event until `stop` is aborted. If the connection is lost, it resumes where it left off. */
export async function tail(io: Io, uptime: UptimeClient, { json }: { json?: boolean }, stop: AbortSignal): Promise<0> {
  const paint = painter(io.hasColour);
  let isTold = false;
  const onOpen = () => {
    isTold = false;
  };
  // The stream closes normally if the service stops or the key expires.
  const onInterruption = (reason: UptimeError | undefined) => {
    if (!isTold) io.err(`${reason ? errorText(reason) : 'The service closed the stream.'} Trying again.\n`);
    isTold = true;
  };
  for await (const event of uptime.stream({}, { signal: stop, onOpen, onInterruption })) {
    isTold = false;
    const line = json ? jsonLine(event) : eventLine(event, paint);
    if (line !== null) io.out(`${line}\n`);
  }
  return 0;
}

/** Returns an event as one line of JSON for other programs, exactly as the stream sent it. */
const jsonLine = ({ event, id, data }: StreamEvent): string => JSON.stringify({ event, id: id ?? null, data });

/** Returns an event as text, or null if it comes from a later version. */
export function eventLine(told: StreamEvent, paint: Paint): string | null {
  const line = (at: string, colour: Colour, word: string, rest: readonly string[]): string =>
    [
      shown(at),
      paint(colour, shown(word).padEnd(9)),
      ...rest.map((part) => shown(part)).filter((part) => part !== ''),
    ].join('  ');
  switch (told.event) {
    case 'reset':
      return 'Some events were missed and cannot be replayed. Run "uptime endpoints ls" for the current state. New events follow.';
    case 'check': {
      const { checked_at, status, endpoint_name, previous_status, error } = told.data;
      const was = `was ${previous_status}`;
      return line(checked_at, COLOURS[status] ?? 'faint', status, [endpoint_name, was, error?.code ?? '']);
    }
    case 'alert': {
      const { created_at, type, alert_type, message } = told.data;
      return line(created_at, type === 'resolved' ? 'green' : 'red', type, [alert_type, message]);
    }
    case 'maintenance': {
      const { state, name, until } = told.data;
      return line('-', 'cyan', `window ${state}`, [name, state === 'started' ? `until ${until}` : '']);
    }
    case 'acknowledgement': {
      const { endpoint_id, acknowledgement } = told.data;
      if (acknowledgement === null) return line('-', 'cyan', 'acknowledgement removed', [endpoint_id]);
      const { at, by, note } = acknowledgement;
      return line(at, 'cyan', 'acknowledged', [endpoint_id, by ?? '', note]);
    }
    case 'heartbeat': {
      const { at, kind, endpoint_name } = told.data;
      return line(at, 'cyan', 'ping', [endpoint_name, kind]);
    }
    case 'location': {
      const { at, status, endpoint_name, location, previous_status } = told.data;
      const rest = [endpoint_name, `from ${location}`, `was ${previous_status}`];
      return line(at ?? '-', COLOURS[status] ?? 'faint', status, rest);
    }
    case 'probe': {
      const { at, status, key } = told.data;
      return line(at ?? '-', status === 'online' ? 'green' : 'red', status, ['probe', key]);
    }
    default:
      return null;
  }
}

const COLOURS: Readonly<Record<string, Colour>> = { up: 'green', down: 'red', unknown: 'yellow' };
