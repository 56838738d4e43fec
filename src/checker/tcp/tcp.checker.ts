import { Dialer } from '../../platform/net/dial/dialer';
import { DialError } from '../../platform/net/dial/dial-error';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { assertionFailure } from '../assertion/assertion-failure';
import type { AssertionSource } from '../assertion/assertion';
import { CheckResultBuilder } from '../check-result-builder';
import { dialFailure } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest, InvalidTarget } from '../checker';

/** A port of a host. */
export interface TcpTarget {
  host: string;
  port: number;
}

/** A port that must accept a connection. Nothing is sent; the connection is closed at once. */
@Checker('TCP')
export class TcpChecker implements Checker<TcpTarget> {
  readonly targetForm = 'tcp://host:port or host:port';
  readonly assertionSources: readonly AssertionSource[] = ['response_time'];

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): TcpTarget {
    const parts = /^(?:tcp:\/\/)?(\[[^\]]*\]|[^:[\]/?#@]+):(\d{1,5})$/i.exec(url);
    const host = normalizeHost(parts?.[1] ?? '');
    const port = Number(parts?.[2]);
    if (!parts) throw this.invalid('a TCP target is a host and a port');
    if (host === null) throw this.invalid(`the host must be ${HOST_FORM}`);
    if (port < 1 || port > 65_535) throw this.invalid('the port must be 1 to 65535');
    return { host, port };
  }

  hostsOf(target: TcpTarget): string[] {
    return [target.host];
  }

  async check(request: CheckRequest<TcpTarget>, signal: AbortSignal): Promise<CheckResult> {
    const { host, port } = request.target;
    const { egress } = request;
    const draft = new CheckResultBuilder();
    try {
      const { socket, phases, address } = await this.dialer.dial({ host, port, unread: true, egress, signal });
      socket.destroy();
      draft.addDial(phases, address);
      return draft.result(assertionFailure(request.assertions, { durationMs: draft.durationMs }));
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      draft.addDial(error.phases, error.address);
      return draft.result(dialFailure(error, signal));
    }
  }

  private invalid(why: string): InvalidTarget {
    return new InvalidTarget(`${why}; the accepted form is ${this.targetForm}`);
  }
}
