import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { ApiProperty, ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { Dialer } from '../../platform/net/dial/dialer';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, InvalidTarget, parseHostPort } from '../checker';
import { Dialogue } from '../dialogue';
import { tlsOf } from '../dialed-tls';
import { NetworkSettings } from '../network-settings';
import { lines } from '../settings-fields';
import {
  passwordMessage,
  readOnlyQuery,
  saslInitial,
  saslResponse,
  serverMessage,
  type ServerMessage,
  sqlStateOf,
  SSL_REQUEST,
  startup,
  TERMINATE,
} from './messages';
import { Scram } from './scram';

const TLS = ['prefer', 'require', 'off'] as const;

export class PostgresSettings extends NetworkSettings {
  @ApiProperty({
    description: 'The role to sign in as. It should have no more rights than the query needs.',
    example: 'monitor',
    maxLength: 63,
  })
  @field.Required(field.text({ max: 63 }))
  user!: string;

  @ApiPropertyOptional({
    description: 'The password of the role.',
    example: 'correct horse battery',
    format: 'password',
    maxLength: 512,
  })
  @field.Optional(field.text({ max: 512 }))
  @field.Secret()
  password?: string;

  @ApiPropertyOptional({
    enum: TLS,
    default: 'prefer',
    title: 'TLS',
    description:
      '`require`: the check fails without TLS. `prefer`: TLS is used if the server offers it. A password is never sent in plain text over a connection without TLS.',
  })
  @field.Optional(field.oneOf(TLS))
  @field.Connection('prefer')
  tls?: (typeof TLS)[number];

  @ApiPropertyOptional({
    description:
      'One statement that must return at least one row. It runs in a read-only transaction. By default, signing in is enough.',
    example: 'SELECT 1 FROM orders LIMIT 1',
    maxLength: 4096,
  })
  @field.Optional(lines(4096))
  query?: string;
}

export interface PostgresTarget extends HostPort {
  database: string;
}

const DEFAULT_PORT = 5432;
const FORM = /^(postgres(?:ql)?:\/\/[^/?#]+)\/([^/?#]{1,189})$/i;
/** The most messages until the server is ready, which includes settings and notices. */
const MAX_MESSAGES = 200;

type Request = CheckRequest<PostgresTarget, PostgresSettings>;

/** Signs in to a database. Up if that works, and if the query, if there is one, returns a row. */
@Checker('POSTGRES')
export class PostgresChecker implements Checker<PostgresTarget, PostgresSettings> {
  readonly targetForm = 'postgres://host[:port]/database, default port 5432';
  readonly assertionSources = ['response_time', 'certificate_days'] as const;
  readonly settingsClass = PostgresSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): PostgresTarget {
    const what = 'a PostgreSQL target is a host and the name of a database';
    const [, address, name = ''] = FORM.exec(url) ?? [];
    const database = decoded(name);
    if (address === undefined || database === null)
      throw new InvalidTarget(`${what}; the accepted form is ${this.targetForm}`);
    const scheme = address.toLowerCase().startsWith('postgresql:') ? 'postgresql' : 'postgres';
    return { ...parseHostPort(address, { scheme, defaultPort: DEFAULT_PORT, what, form: this.targetForm }), database };
  }

  hostsOf({ host }: PostgresTarget): string[] {
    return [host];
  }

  async check(request: Request, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port } = request.target;
    const plain = await builder.dial(this.dialer, { host, port });
    const opened = plain && (await this.opened(plain, request, builder, signal));
    if (opened) {
      const dialogue = new Dialogue(opened.socket, builder, signal);
      if (await new SignIn(dialogue, request, builder, opened.isEncrypted).run()) dialogue.send(TERMINATE);
      dialogue.close();
    }
    return builder.finish(builder.certificateFacts());
  }

  /** Starts TLS if the settings and the server agree on it. */
  private async opened(plain: Socket, request: Request, builder: CheckResultBuilder, signal: AbortSignal) {
    const { tls = 'prefer' } = request.settings;
    if (tls === 'off') return { socket: plain, isEncrypted: false };
    const dialogue = new Dialogue(plain, builder, signal);
    const answer = await dialogue.ask(SSL_REQUEST, (received) =>
      received.length === 0 ? null : { value: String.fromCharCode(received[0] ?? 0), used: 1 },
    );
    if (answer === null) return null;
    const socket = dialogue.release();
    if (socket === null) return null;
    if (answer === 'S') {
      const secured = await builder.startTls(this.dialer, socket, request.target.host, tlsOf(request));
      return secured && { socket: secured, isEncrypted: true };
    }
    if (answer === 'N' && tls === 'prefer') return { socket, isEncrypted: false };
    socket.destroy();
    const sentence =
      answer === 'N' ? 'The server does not support TLS.' : 'The server does not speak the PostgreSQL protocol.';
    return builder.down('protocol_error', 'tls', sentence);
  }
}

function decoded(name: string): string | null {
  try {
    const text = decodeURIComponent(name);
    return text.includes('\0') || Buffer.byteLength(text) > 63 ? null : text;
  } catch {
    return null;
  }
}

/** One session: signing in, and the query. */
class SignIn {
  private readonly scram = new Scram();
  private isProven = true;
  private rows = 0;
  private isQuerying = false;

  constructor(
    private readonly dialogue: Dialogue,
    private readonly request: Request,
    private readonly builder: CheckResultBuilder,
    private readonly isEncrypted: boolean,
  ) {}

  /** Returns false after a failure, which is recorded. */
  async run(): Promise<boolean> {
    const { settings, target } = this.request;
    let sent: Buffer | null = startup(settings.user, target.database);
    for (let count = 0; count < MAX_MESSAGES; count++) {
      const received: ServerMessage | null = await this.dialogue.ask(sent, serverMessage);
      if (received === null) return false;
      if (received.type === 'Z') {
        if (!this.isProven) return this.refuse('The server did not prove that it knows the password.');
        if (settings.query === undefined || this.isQuerying) return this.judge();
        this.isQuerying = true;
        sent = readOnlyQuery(settings.query);
        continue;
      }
      const next = await this.answerTo(received);
      if (next === 'failed') return false;
      sent = next;
    }
    return this.refuse(`The server sent more than ${MAX_MESSAGES} messages.`);
  }

  private async answerTo({ type, body }: ServerMessage): Promise<Buffer | null | 'failed'> {
    if (type === 'D') this.rows++;
    if (type === 'R') return this.authenticate(body);
    if (type !== 'E') return null;
    const what = this.isQuerying ? 'the query' : `the sign-in of the role ${this.request.settings.user}`;
    this.refuse(`The server refused ${what} with the error ${sqlStateOf(body)}.`);
    return 'failed';
  }

  private async authenticate(body: Buffer): Promise<Buffer | null | 'failed'> {
    const kind = body.length >= 4 ? body.readInt32BE(0) : -1;
    const { user, password } = this.request.settings;
    if (kind === 0) return null;
    if (password === undefined) return this.failed('The server asks for a password, but the check has none.');
    const text = body.toString('latin1', 4);
    switch (kind) {
      case 3:
        return this.isEncrypted
          ? passwordMessage(password)
          : this.failed('The server asks for the password in plain text, but the connection has no TLS.');
      case 5:
        return passwordMessage(md5Of(user, password, body.subarray(4, 8)));
      case 10:
        if (!text.split('\0').includes('SCRAM-SHA-256'))
          return this.failed('The server supports no known way to sign in.');
        this.isProven = false;
        return saslInitial('SCRAM-SHA-256', this.scram.first);
      case 11:
        return this.proof(text, password);
      case 12:
        this.isProven = this.scram.isProven(text);
        return null;
      default:
        return this.failed('The server supports no known way to sign in.');
    }
  }

  private async proof(serverFirst: string, password: string): Promise<Buffer | 'failed'> {
    try {
      return saslResponse(await this.scram.final(serverFirst, password));
    } catch (error) {
      return this.failed((error as Error).message);
    }
  }

  private judge(): boolean {
    if (!this.isQuerying || this.rows > 0) return true;
    return this.refuse('The query returned no row.');
  }

  private failed(sentence: string): 'failed' {
    this.refuse(sentence);
    return 'failed';
  }

  private refuse(sentence: string): false {
    this.builder.down('protocol_error', 'first_byte', sentence);
    return false;
  }
}

const md5 = (text: string | Buffer, salt: Buffer | string): string =>
  createHash('md5').update(text).update(salt).digest('hex');
const md5Of = (user: string, password: string, salt: Buffer): string => `md5${md5(md5(password, user), salt)}`;
