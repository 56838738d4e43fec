import type { OverviewItem } from '../api/types';
import { words } from './format';

/** Why a check failed, for a narrow row: the check itself has the whole sentence. */
const REASONS: Record<NonNullable<OverviewItem['last_error']>, string> = {
  dns_not_found: 'The name does not exist',
  dns_timeout: 'No answer from the name server',
  dns_failure: 'The name could not be looked up',
  connection_refused: 'Connection refused',
  connection_reset: 'The connection was cut',
  connection_timeout: 'No connection in time',
  host_unreachable: 'The host is not reachable',
  tls_expired: 'The certificate has expired',
  tls_not_yet_valid: 'The certificate is not valid yet',
  tls_hostname_mismatch: 'The certificate is for another name',
  tls_untrusted: 'The certificate is not trusted',
  tls_handshake_failed: 'No TLS connection',
  tls_timeout: 'No TLS connection in time',
  first_byte_timeout: 'No answer in time',
  body_timeout: 'The answer was not complete in time',
  protocol_error: 'The answer could not be read',
  too_many_redirects: 'Too many redirects',
  status_unexpected: 'Unexpected status',
  assertion_failed: 'A condition does not hold',
  icmp_timeout: 'No answer to the ping',
  banner_invalid: 'The answer could not be read',
  target_blocked: 'This address may not be checked',
  icmp_unavailable: 'The monitor cannot ping',
  monitor_offline: 'The monitor is offline',
  internal: 'The check itself failed',
  certificate_expiring: 'The certificate ends soon',
  heartbeat_missed: 'A run was missed',
  heartbeat_failed: 'A run failed',
  heartbeat_overran: 'A run took too long',
  probe_offline: 'The probe is not online',
};

/** The reason in words; a code that this page does not know yet as it is. */
export const reasonText = (code: NonNullable<OverviewItem['last_error']>): string => REASONS[code] ?? words(code);
