/** A jsonb column that contains `SecretBox` envelopes. */
export interface SealedColumn {
  table: string;
  column: string;
  /** SQL/JSON path to the envelopes. */
  path: string;
  /** SQL expression for the context with which they are encrypted. */
  context: string;
  /** Returns a copy of the column's value with `change` applied to every envelope. */
  readonly map: (value: unknown, change: (sealed: string) => string) => unknown;
}

interface Envelope {
  sealed: string;
}

interface Header {
  key: string;
  value: string;
  sealed?: true;
}

const wholeValue = (value: unknown, change: (sealed: string) => string): Envelope => ({
  ...(value as Envelope),
  sealed: change((value as Envelope).sealed),
});

/**
 * All columns with encrypted content, for the check at startup and for rotation. Add new columns here. A snapshot in
 * `notification` was encrypted for its alert or for the contact that the alert had at the time, hence the context.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'alert', column: 'config', path: '$.sealed', context: `'alert:' || id || ':config'`, map: wholeValue },
  { table: 'contact', column: 'config', path: '$.sealed', context: `'contact:' || id || ':config'`, map: wholeValue },
  {
    table: 'notification',
    column: 'config',
    path: '$.sealed',
    context: `COALESCE('contact:' || contact_id, 'alert:' || alert_id) || ':config'`,
    map: wholeValue,
  },
  {
    table: 'endpoint',
    column: 'headers',
    path: '$[*] ? (@.sealed == true).value',
    context: `'endpoint:' || id || ':headers'`,
    map: (value, change) =>
      (value as Header[]).map((header) => (header.sealed ? { ...header, value: change(header.value) } : header)),
  },
  {
    table: 'endpoint',
    column: 'settings',
    path: '$.sealed',
    context: `'endpoint:' || id || ':settings'`,
    map: (value, change) => {
      const { sealed } = value as Partial<Envelope>;
      return sealed === undefined ? value : { ...(value as object), sealed: change(sealed) };
    },
  },
  {
    table: 'idempotency_key',
    column: 'body',
    path: '$.sealed',
    context: `'idempotency_key:' || id || ':body'`,
    map: wholeValue,
  },
  {
    table: 'second_factor',
    column: 'secret',
    path: '$.sealed',
    context: `'second_factor:' || id || ':secret'`,
    map: wholeValue,
  },
  {
    table: 'server_secret',
    column: 'sealed',
    path: '$.sealed',
    context: `'server_secret:' || name`,
    map: wholeValue,
  },
];
