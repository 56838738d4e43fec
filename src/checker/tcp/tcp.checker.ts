import type { Socket } from 'node:net';
import { ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Dialer } from '../../platform/net/dial/dialer';
import { leave } from '../../platform/net/dial/leave';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, parseHostPort } from '../checker';
import { tlsOf } from '../dialed-tls';
import { containing, Dialogue } from '../dialogue';
import { bytesOf } from '../escaped-text';
import { NetworkSettings } from '../network-settings';
import { message } from '../settings-fields';
import { askForTls, STARTTLS, type StartTls } from './start-tls';

export class TcpSettings extends NetworkSettings {
  @ApiPropertyOptional({
    title: 'Use TLS',
    description: 'Whether to start TLS as soon as the connection is open. The certificate is verified and reported.',
    default: false,
  })
  @field.Optional(field.flag)
  @field.Connection(false)
  tls?: boolean;

  @ApiPropertyOptional({
    enum: STARTTLS,
    title: 'STARTTLS',
    description:
      'The protocol in which the check asks the server to switch to TLS. The certificate is verified and reported.',
  })
  @field.Optional(field.oneOf(STARTTLS))
  starttls?: StartTls;

  @ApiPropertyOptional({
    description: 'The text to send, at most 1 KiB, with escapes such as `\\r\\n` and `\\x00`.',
    example: 'QUIT\\r\\n',
  })
  @field.Optional(message)
  send?: string;

  @ApiPropertyOptional({
    description: 'The text that the server must send, with escapes. At most 64 KiB are read.',
    example: '220 ',
  })
  @field.Optional(message)
  expect?: string;
}

export interface TcpTarget {
  host: string;
  port: number;
}

/** How long to remember that a server sends nothing first, and how many such servers to remember. */
const SILENT_MS = 600_000;
const MAX_SILENT = 20_000;

/**
 * Checks that a port accepts a connection. Without settings, sends nothing and closes the connection immediately. If the server speaks
 * first, its data is read before closing, so that it sees no reset. Waiting for a server that doesn't speak first would
 * add a third to the cost of a check, so such servers are remembered.
 */
@Checker('TCP')
export class TcpChecker implements Checker<TcpTarget, TcpSettings> {
  readonly targetForm = 'tcp://host:port or host:port';
  readonly assertionSources = ['response_time', 'certificate_days'] as const;
  readonly settingsClass = TcpSettings;

  /** The expiry times by address and port. */
  private readonly silent = new BoundedMap<string, number>(MAX_SILENT);

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): TcpTarget {
    return parseHostPort(url, { scheme: 'tcp', what: 'a TCP target is a host and a port', form: this.targetForm });
  }

  hostsOf(target: TcpTarget): string[] {
    return [target.host];
  }

  settingsProblems({ tls, starttls }: TcpSettings) {
    if (tls !== true || starttls === undefined) return [];
    const message = 'cannot be combined with tls: the connection would already use TLS';
    return [{ key: 'starttls', code: 'invalid_format', message }] as const satisfies object[];
  }

  async check(request: CheckRequest<TcpTarget, TcpSettings>, signal: AbortSignal) {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port } = request.target;
    const { tls = false, starttls, send, expect } = request.settings;
    if (tls || starttls !== undefined || send !== undefined || expect !== undefined) {
      await this.talk(request, builder, signal);
      return builder.finish(builder.certificateFacts());
    }
    const socket = await builder.dial(this.dialer, { host, port, unread: true });
    if (socket) this.close(socket, `${builder.address} ${port}`);
    return builder.finish();
  }

  private async talk(
    request: CheckRequest<TcpTarget, TcpSettings>,
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<void> {
    const { host, port } = request.target;
    const { tls = false, starttls, send, expect } = request.settings;
    const plain = await builder.dial(this.dialer, { host, port, tls: tls ? tlsOf(request) : undefined });
    const socket = plain && starttls ? await this.secured(plain, starttls, request, { builder, signal }) : plain;
    if (!socket) return;
    const dialogue = new Dialogue(socket, builder, signal);
    if (expect !== undefined)
      await dialogue.ask(send === undefined ? null : bytesOf(send), containing(bytesOf(expect)));
    else if (send !== undefined) dialogue.send(bytesOf(send));
    dialogue.close();
  }

  private async secured(
    plain: Socket,
    protocol: StartTls,
    request: CheckRequest<TcpTarget, TcpSettings>,
    { builder, signal }: { builder: CheckResultBuilder; signal: AbortSignal },
  ): Promise<Socket | null> {
    const dialogue = new Dialogue(plain, builder, signal);
    if ((await askForTls(dialogue, protocol)) === null) return null;
    const socket = dialogue.release();
    return socket && builder.startTls(this.dialer, socket, request.target.host, tlsOf(request));
  }

  private close(socket: Socket, place: string): void {
    if ((this.silent.get(place) ?? -Infinity) > performance.now()) socket.destroy();
    else void this.hear(socket, place);
  }

  private async hear(socket: Socket, place: string): Promise<void> {
    if (!(await leave(socket))) this.silent.set(place, performance.now() + SILENT_MS);
  }
}
