import { SUPPORTED_PROTOCOLS } from '../probe-protocol/protocol';

/**
 * `new`: never heard. `offline`: not heard for 60 s. `unsupported`: it speaks a protocol that the service does not; `disabled`: an
 * administrator has switched it off. Such a location neither votes nor counts.
 */
export const PROBE_STATUSES = ['new', 'online', 'offline', 'disabled', 'unsupported'] as const;
export type ProbeStatus = (typeof PROBE_STATUSES)[number];

/** SQL: the status of a row of `probe` with this alias. One truth for what is shown and what is asked for. */
export const probeStatus = (alias: string): string =>
  `CASE WHEN NOT ${alias}.enabled THEN 'disabled'
        WHEN ${alias}.last_seen_at IS NULL THEN 'new'
        WHEN ${alias}.protocol NOT IN (${SUPPORTED_PROTOCOLS.join(', ')}) THEN 'unsupported'
        WHEN ${alias}.online THEN 'online' ELSE 'offline' END`;
