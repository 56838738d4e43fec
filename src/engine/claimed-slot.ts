/** A slot that this process has claimed. No other instance will run it. */
export interface ClaimedSlot {
  endpointId: string;
  orgId: string;
  /** The revision of the definition to run. If the cached definition has an older revision, it must be read again. */
  revision: number;
  /** When the check is due, in milliseconds since the epoch, according to the database's clock. */
  slotMs: number;
  /** The number of the endpoint's later slots that were also due by then. They are skipped and will never run. */
  skipped: number;
}
