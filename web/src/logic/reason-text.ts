import type { OverviewItem } from '../api/types';
import { words } from './format';

/** Short reasons why a check failed, for narrow rows. The check itself has the full sentence. */
const REASONS: Record<NonNullable<OverviewItem['last_error']>, string> = {
  dns_not_found: 'The name does not exist',
  dns_timeout: 'No response from the name server',
  dns_failure: 'The name could not be looked up',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection reset',
  connection_timeout: 'Connection timed out',
  host_unreachable: 'Host unreachable',
  tls_expired: 'The certificate has expired',
  tls_not_yet_valid: 'The certificate is not valid yet',
  tls_hostname_mismatch: 'The certificate is for another name',
  tls_untrusted: 'The certificate is not trusted',
  tls_handshake_failed: 'TLS handshake failed',
  tls_timeout: 'TLS handshake timed out',
  first_byte_timeout: 'No response in time',
  body_timeout: 'The response was not complete in time',
  protocol_error: 'The response could not be read',
  too_many_redirects: 'Too many redirects',
  status_unexpected: 'Unexpected status',
  assertion_failed: 'A condition failed',
  icmp_timeout: 'No response to the ping',
  banner_invalid: 'The response could not be read',
  target_blocked: 'Checks of this address are not allowed',
  icmp_unavailable: 'The monitor cannot ping',
  monitor_offline: 'The monitor is offline',
  internal: 'The check itself failed',
  certificate_expiring: 'The certificate expires soon',
  heartbeat_missed: 'A run was missed',
  heartbeat_failed: 'A run failed',
  heartbeat_overran: 'A run took too long',
  probe_offline: 'The probe is not online',
  domain_expiring: 'The domain expires soon',
};

const known: Partial<Record<string, string>> = REASONS;

/** Describes the reason. A code that this page doesn't know yet is shown as words. */
export const reasonText = (code: string): string => known[code] ?? words(code);
