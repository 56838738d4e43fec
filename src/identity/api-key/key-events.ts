/**
 * Emitted in the transaction that revokes keys (UUIDs) of an organization, before they are deleted. Rows that they
 * created still exist.
 */
export class KeysRevoked {
  constructor(
    readonly orgId: string,
    readonly keyIds: readonly string[],
  ) {}
}
