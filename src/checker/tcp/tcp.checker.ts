import { Dialer } from '../../platform/net/dial/dialer';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, parseHostPort } from '../checker';

/** A port of a host. */
export interface TcpTarget {
  host: string;
  port: number;
}

/** A port that must accept a connection. Nothing is sent; the connection is closed at once. */
@Checker('TCP')
export class TcpChecker implements Checker<TcpTarget> {
  readonly targetForm = 'tcp://host:port or host:port';
  readonly assertionSources = ['response_time'] as const;

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
    socket?.destroy();
    return builder.finish();
  }
}
