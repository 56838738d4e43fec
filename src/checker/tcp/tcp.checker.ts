import type { Socket } from 'node:net';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Dialer } from '../../platform/net/dial/dialer';
import { leave } from '../../platform/net/dial/leave';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, parseHostPort } from '../checker';

export interface TcpTarget {
  host: string;
  port: number;
}

/** How long to remember that a server sends nothing first, and how many such servers to remember. */
const SILENT_MS = 600_000;
const MAX_SILENT = 20_000;

/**
 * Checks that a port accepts a connection. Sends nothing and closes the connection immediately. If the server speaks
 * first, its data is read before closing, so that it sees no reset. Waiting for a server that doesn't speak first would
 * add a third to the cost of a check, so such servers are remembered.
 */
@Checker('TCP')
export class TcpChecker implements Checker<TcpTarget> {
  readonly targetForm = 'tcp://host:port or host:port';
  readonly assertionSources = ['response_time'] as const;

  /** The expiry times by address and port. */
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
