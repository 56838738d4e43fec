/**
 * Emitted in the transaction that revokes an organization's keys (UUIDs), before they are deleted. Rows that they
 * created still exist.
 */
export class KeysRevoked {
  constructor(
    readonly orgId: string,
    readonly keyIds: readonly string[],
  ) {}
}
