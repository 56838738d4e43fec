/** A value, or what gives it when the suite begins: a service is usually started in `beforeAll`. */
export type Given<T> = T | (() => T | Promise<T>);

/** A key. `null`, as a client without one has it, is refused when the suite begins. */
export type GivenKey = Given<string | null>;

/** Keys of one organization, one for each role. */
export interface ServiceKeys {
  admin: GivenKey;
  write: GivenKey;
  read: GivenKey;
  /** `OPERATOR_TOKEN` of the service. `null` itself: what needs it is skipped, and says so. */
  operator: GivenKey;
}

/** How the service reaches the suite. */
export interface ServiceContractOptions {
  /** Of the outer `describe`. */
  name?: string;
  /**
   * The suite listens with a web server and a port that only accepts, which the service checks and sends webhooks to: at the
   * address `listen`, named `host` to the service. Default: both 127.0.0.1, which the Default organization may reach
   * (`EGRESS_PRIVATE=auto`).
   */
  suite?: { listen: string; host: string };
}

/** The value itself. Throws with `what` when there is none. */
export async function valueOf(what: string, given: GivenKey): Promise<string> {
  const value = typeof given === 'function' ? await given() : given;
  if (value === null) throw new Error(`describeService was given no ${what}`);
  return value;
}
