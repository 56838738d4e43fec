/** Emitted inside the transaction that revokes keys (uuids) of an organization, before they go: what they made is still there. */
export class KeysRevoked {
  constructor(
    readonly orgId: string,
    readonly keyIds: readonly string[],
  ) {}
}
