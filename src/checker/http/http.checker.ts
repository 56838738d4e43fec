import type { AssertionSource } from '../assertion/assertion';
import { Checker, type CheckResult, type CheckRequest } from '../checker';
import { HttpProbe } from './http-probe';
import { type HttpTarget, parseHttpTarget } from './http-target';

/** A web address, with or without TLS. Up: the final status is 200–299, and the certificate is valid where there is one. */
@Checker('HTTP')
export class HttpChecker implements Checker<HttpTarget> {
  readonly targetForm = 'http://host[:port]/path or https://host[:port]/path';
  readonly assertionSources: readonly AssertionSource[] = [
    'status_code',
    'response_time',
    'header',
    'body',
    'json',
    'certificate_days',
  ];

  constructor(private readonly probe: HttpProbe) {}

  parseTarget(url: string): HttpTarget {
    return parseHttpTarget(url, this.targetForm, /^https?:\/\/[^/?#]/i);
  }

  hostsOf(target: HttpTarget): string[] {
    return [target.host];
  }

  check(request: CheckRequest<HttpTarget>, signal: AbortSignal): Promise<CheckResult> {
    return this.probe.check(request, signal);
  }
}
