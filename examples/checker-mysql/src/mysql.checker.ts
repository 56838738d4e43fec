import type { Socket } from 'node:net';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Connection, createConnection, type QueryError } from 'mysql2';
import { Checker, type CheckRequest, CheckResultBuilder, Dialer } from 'uptime-monitor/checker';
import { field, type HostPort, InvalidTarget, NetworkSettings, parseHostPort } from 'uptime-monitor/checker';

export class MysqlSettings extends NetworkSettings {
  @ApiProperty({ description: 'The user to sign in as.', example: 'monitor', maxLength: 32 })
  @field.Required(field.text({ max: 32 }))
  user!: string;

  @ApiPropertyOptional({ description: 'The password.', example: 'correct horse battery', format: 'password' })
  @field.Optional(field.text({ max: 256 }))
  @field.Secret()
  password?: string;

  @ApiPropertyOptional({ description: 'A statement that must return a row.', example: 'SELECT 1', maxLength: 1000 })
  @field.Optional(field.text({ max: 1000 }))
  query?: string;
}

export interface MysqlTarget extends HostPort {
  database: string;
}

type Request = CheckRequest<MysqlTarget, MysqlSettings>;

/** Signs in to a database. Up if that works, and if the query, if there is one, returns a row. */
@Checker('MYSQL')
export class MysqlChecker implements Checker<MysqlTarget, MysqlSettings> {
  readonly targetForm = 'mysql://host[:port]/database, default port 3306';
  readonly assertionSources = ['response_time'] as const;
  readonly settingsClass = MysqlSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): MysqlTarget {
    const what = 'a MySQL target is a host and the name of a database';
    const [, address, database] = /^(mysql:\/\/[^/?#]+)\/([A-Za-z0-9_$-]{1,64})$/i.exec(url) ?? [];
    if (address === undefined || database === undefined)
      throw new InvalidTarget(`${what}; the accepted form is ${this.targetForm}`);
    return { ...parseHostPort(address, { scheme: 'mysql', defaultPort: 3306, what, form: this.targetForm }), database };
  }

  hostsOf({ host }: MysqlTarget): string[] {
    return [host];
  }

  async check(request: Request, signal: AbortSignal) {
    const builder = new CheckResultBuilder(request, signal);
    const socket = await builder.dial(this.dialer, request.target);
    if (socket === null) return builder.finish();
    const startedAt = performance.now();
    const end = await converse(socket, request, signal);
    builder.add('firstByteMs', performance.now() - startedAt);
    if (end === 'aborted') builder.aborted('first_byte');
    else if (end !== 'ok') builder.down('protocol_error', 'first_byte', end);
    return builder.finish();
  }
}

/** The most bytes that a check reads. The driver itself has no limit. */
const MAX_BYTES = 64 * 1024;

/** Returns `ok`, `aborted`, or a sentence about what went wrong. The driver gets a socket whose address was checked. */
function converse(socket: Socket, { target, settings }: Request, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let connection: Connection | null = null;
    const end = (how: string): void => {
      signal.removeEventListener('abort', onAbort);
      connection?.destroy();
      socket.destroy();
      resolve(how);
    };
    const onAbort = (): void => end('aborted');
    if (signal.aborted) return end('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    let received = 0;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > MAX_BYTES) end('The server sent more than 64 KiB.');
    });
    const { user, password, query } = settings;
    connection = createConnection({ stream: socket, user, password, database: target.database });
    connection.on('error', (error: QueryError) => end(sentenceOf(error)));
    socket.on('close', () => end('The server closed the connection before its response was complete.'));
    connection.connect((error) => {
      if (error) return end(sentenceOf(error));
      if (query === undefined) return end('ok');
      connection?.query(query, (failure, rows) => {
        if (failure) return end(sentenceOf(failure));
        end(Array.isArray(rows) && rows.length > 0 ? 'ok' : 'The query returned no row.');
      });
    });
  });
}

/** Only the code of an error is shown, because its text may contain anything that the server sends. */
const sentenceOf = ({ code }: QueryError): string =>
  /^ER_[A-Z_]{1,60}$/.test(code)
    ? `The server refused with the error ${code}.`
    : 'The server does not speak the MySQL protocol.';
