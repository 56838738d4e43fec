import type { EgressRule } from '../platform/net/egress/egress-policy';
import type { Checker, CheckRequest } from './checker';
import { NO_SETTINGS } from './settings-problems';

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The input for a check request: the unparsed target, and everything that is passed to the checker unchanged. */
export type RequestSettings = Omit<CheckRequest<unknown>, 'target' | 'egress' | 'settings'> & {
  url: string;
  /** The valid settings of the type, with decrypted secrets. */
  settings?: object;
};

/**
 * Creates a check request. All requests are created here, for stored endpoints, for endpoints being tested, and for
 * `uptime check --local`.
 */
export function toCheckRequest(
  checker: Checker,
  {
    url,
    settings = NO_SETTINGS,
    method,
    headers,
    body,
    followRedirects,
    tls,
    assertions,
    certificateWarnDays,
    now,
  }: RequestSettings,
  egress: EgressRule,
): CheckRequest<unknown> {
  // Use one literal. Spreading a copy gives each request its own hidden class, and every property read becomes a cache
  // miss.
  const target = checker.parseTarget(url);
  return {
    target,
    settings,
    method,
    headers,
    body,
    followRedirects,
    tls,
    assertions,
    certificateWarnDays,
    now,
    egress,
  };
}
