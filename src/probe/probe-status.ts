import { SUPPORTED_PROTOCOLS } from '../probe-protocol/protocol';

/**
 * The status of a probe. `new`: it hasn't sent a request yet. `offline`: no request for 60 s. `unsupported`: the
 * service doesn't support its protocol version. `disabled`: an admin has turned it off. Results from such a location
 * don't count.
 */
export const PROBE_STATUSES = ['new', 'online', 'offline', 'disabled', 'unsupported'] as const;
export type ProbeStatus = (typeof PROBE_STATUSES)[number];

/** SQL: the status of a row of `probe` with this alias. Used for display and for filters. */
export const probeStatus = (alias: string): string =>
  `CASE WHEN NOT ${alias}.enabled THEN 'disabled'
        WHEN ${alias}.last_seen_at IS NULL THEN 'new'
        WHEN ${alias}.protocol NOT IN (${SUPPORTED_PROTOCOLS.join(', ')}) THEN 'unsupported'
        WHEN ${alias}.online THEN 'online' ELSE 'offline' END`;
