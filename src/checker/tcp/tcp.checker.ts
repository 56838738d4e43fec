import type { Socket } from 'node:net';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Dialer } from '../../platform/net/dial/dialer';
import { leave } from '../../platform/net/dial/leave';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, parseHostPort } from '../checker';

/** A port of a host. */
export interface TcpTarget {
  host: string;
  port: number;
}

/** How long a server that sent nothing is taken for one that waits for its clients, and how many of them are remembered. */
const SILENT_MS = 600_000;
const MAX_SILENT = 20_000;

/**
 * A port that must accept a connection. Nothing is sent, and the connection is closed at once. A server that speaks first is
 * heard before that, so that it sees no reset. Waiting for one that does not would add a third to the cost of a check, so
 * a silent server is remembered.
 */
@Checker('TCP')
export class TcpChecker implements Checker<TcpTarget> {
  readonly targetForm = 'tcp://host:port or host:port';
  readonly assertionSources = ['response_time'] as const;

  /** By address and port: until when. */
  private readonly silent = new BoundedMap<string, number>(MAX_SILENT);

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): TcpTarget {
    return parseHostPort(url, { scheme: 'tcp', what: 'a TCP target is a host and a port', form: this.targetForm });
  }

  hostsOf(target: TcpTarget): string[] {
    return [target.host];
  }

  async check(request: CheckRequest<TcpTarget>, signal: AbortSignal) {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port } = request.target;
    const socket = await builder.dial(this.dialer, { host, port, unread: true });
    if (socket) this.close(socket, `${builder.address} ${port}`);
    return builder.finish();
  }

  private close(socket: Socket, place: string): void {
    if ((this.silent.get(place) ?? -Infinity) > performance.now()) socket.destroy();
    else void this.hear(socket, place);
  }

  private async hear(socket: Socket, place: string): Promise<void> {
    if (!(await leave(socket))) this.silent.set(place, performance.now() + SILENT_MS);
  }
}
