import type { EgressRule } from '../platform/net/egress/egress-policy';
import type { Checker, CheckRequest } from './checker';

/** The methods an HTTP check may use. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** What a request is made of: the target as it was written, and everything that a checker takes as it is. */
export type RequestSettings = Omit<CheckRequest<unknown>, 'target' | 'egress'> & { url: string };

/** The only place where a check request is made: for stored endpoints, for endpoints being tested, and for `uptime check --local`. */
export function toCheckRequest(
  checker: Checker,
  { url, method, headers, body, followRedirects, tls, assertions, certificateWarnDays, now }: RequestSettings,
  egress: EgressRule,
): CheckRequest<unknown> {
  // One literal: what is added to a copy by spreading gives each request a hidden class of its own, and every read misses.
  const target = checker.parseTarget(url);
  return { target, method, headers, body, followRedirects, tls, assertions, certificateWarnDays, now, egress };
}
