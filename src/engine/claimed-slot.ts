/** One slot taken by this process: no other instance will run it. */
export interface ClaimedSlot {
  endpointId: string;
  orgId: string;
  /** Of the definition to run; one of an older revision must be read again. */
  revision: number;
  /** When the check is due, milliseconds since the epoch by the database's clock. */
  slotMs: number;
  /** Later slots of the endpoint that were due as well by then: they are skipped, nobody will run them. */
  skipped: number;
}
