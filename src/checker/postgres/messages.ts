import { type Reader, Refused } from '../dialogue';

/** A message of a PostgreSQL server: its type, and its content without type and length. */
export interface ServerMessage {
  type: string;
  body: Buffer;
}

const MAX_MESSAGE = 64 * 1024;

/** Reads one message of any type. */
export const serverMessage: Reader<ServerMessage> = (received) => {
  if (received.length < 5) return null;
  const length = received.readInt32BE(1);
  const type = String.fromCharCode(received[0] ?? 0);
  if (length < 4 || !/[A-Za-z0-9]/.test(type)) throw new Refused('The server does not speak the PostgreSQL protocol.');
  if (length > MAX_MESSAGE) throw new Refused('The server sent a message of more than 64 KiB.');
  if (received.length < 1 + length) return null;
  return { value: { type, body: received.subarray(5, 1 + length) }, used: 1 + length };
};

export const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
export const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** Returns a message with its length, and with a type unless it is the first of a connection. */
function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

/** Returns the first message of a connection. */
export const startup = (user: string, database: string): Buffer =>
  message(
    '',
    int32(196_608),
    ...['user', user, 'database', database, 'application_name', 'uptime-monitor'].map(text),
    Buffer.from([0]),
  );

export const passwordMessage = (password: string): Buffer => message('p', text(password));
export const saslInitial = (mechanism: string, first: string): Buffer =>
  message('p', text(mechanism), int32(Buffer.byteLength(first)), Buffer.from(first));
export const saslResponse = (response: string): Buffer => message('p', Buffer.from(response));

/**
 * Returns the messages that run one statement in a read-only transaction and ask for at most one row. The extended
 * protocol accepts only a single statement, so the text cannot end the transaction and continue.
 */
export const readOnlyQuery = (query: string): Buffer =>
  Buffer.concat([
    // prose: a statement of SQL
    message('P', text(''), text('BEGIN READ ONLY'), Buffer.alloc(2)),
    message('B', text(''), text(''), Buffer.alloc(6)),
    message('E', text(''), int32(0)),
    message('P', text(''), text(query), Buffer.alloc(2)),
    message('B', text(''), text(''), Buffer.alloc(6)),
    message('E', text(''), int32(1)),
    message('S'),
  ]);

/** Returns the SQLSTATE of an error, which is the only part that is shown. */
export function sqlStateOf(body: Buffer): string {
  const code = /(?:^|\0)C([0-9A-Z]{5})\0/.exec(body.toString('latin1'))?.[1];
  return code ?? 'unknown';
}
