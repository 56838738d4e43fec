/** One slot that this process has claimed. No other instance will run it. */
export interface ClaimedSlot {
  endpointId: string;
  orgId: string;
  /** The revision of the definition to run. A cached definition with an older revision must be read again. */
  revision: number;
  /** When the check is due, in milliseconds since the epoch by the database's clock. */
  slotMs: number;
  /** Number of later slots of the endpoint that were also due by then. They are skipped and will never run. */
  skipped: number;
}
