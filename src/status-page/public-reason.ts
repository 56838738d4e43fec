import type { errorCodeAt } from '../history/check-encoding';

type ErrorCode = NonNullable<ReturnType<typeof errorCodeAt>>;

/** The public reasons why an endpoint was down. They are deliberately vague, without the target or internal terms. */
const REASONS: Record<ErrorCode, string> = {
  dns_not_found: 'its name was not found',
  dns_timeout: 'its name could not be resolved',
  dns_failure: 'its name could not be resolved',
  connection_refused: 'connection refused',
  connection_reset: 'the connection was cut',
  connection_timeout: 'no connection in time',
  host_unreachable: 'not reachable',
  tls_expired: 'its certificate has expired',
  tls_not_yet_valid: 'its certificate is not valid yet',
  tls_hostname_mismatch: 'its certificate is for another name',
  tls_untrusted: 'its certificate is not trusted',
  tls_handshake_failed: 'no secure connection',
  tls_timeout: 'no secure connection in time',
  first_byte_timeout: 'no response in time',
  body_timeout: 'the response was not complete in time',
  protocol_error: 'the response could not be read',
  too_many_redirects: 'redirected too often',
  status_unexpected: 'responded with an error',
  assertion_failed: 'responded, but not as expected',
  icmp_timeout: 'no response in time',
  banner_invalid: 'the response could not be read',
  target_blocked: 'not reachable',
  icmp_unavailable: 'not reachable',
  monitor_offline: 'not reachable',
  certificate_expiring: 'its certificate expires soon',
  heartbeat_missed: 'a run was missed',
  heartbeat_failed: 'a run failed',
  heartbeat_overran: 'a run took too long',
  probe_offline: 'its probe is not online',
  domain_expiring: 'its domain expires soon',
  internal: 'not reachable',
};

export const publicReason = (code: ErrorCode | null): string | null => code && REASONS[code];
