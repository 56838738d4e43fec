import type { AssertionSource } from '../assertion/assertion';
import { Checker, type CheckResult, type CheckRequest } from '../checker';
import { HttpProbe } from './http-probe';
import { type HttpTarget, parseHttpTarget } from './http-target';

/** A web address over TLS. Up: the certificate is valid and the final status is 200–299. */
@Checker('HTTPS')
export class HttpsChecker implements Checker<HttpTarget> {
  readonly targetForm = 'https://host[:port]/path';
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
    return parseHttpTarget(url, this.targetForm, /^https:\/\/[^/?#]/i);
  }

  hostsOf(target: HttpTarget): string[] {
    return [target.host];
  }

  check(request: CheckRequest<HttpTarget>, signal: AbortSignal): Promise<CheckResult> {
    return this.probe.check(request, signal);
  }
}
