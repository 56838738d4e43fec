/** What a ping says of a run: it went well, it begins, it failed; `log`: nothing. Stored by its place: append only. */
export const PING_KINDS = ['success', 'start', 'fail', 'log'] as const;
export type PingKind = (typeof PING_KINDS)[number];
