/** A value, or a function that returns it when the suite starts. Services are usually started in `beforeAll`. */
export type Given<T> = T | (() => T | Promise<T>);

/** A key. If it is `null`, which means no key, the suite throws an error when it starts. */
export type GivenKey = Given<string | null>;

/** The keys for one organization, one for each role. */
export interface ServiceKeys {
  admin: GivenKey;
  write: GivenKey;
  read: GivenKey;
  /** The service's `OPERATOR_TOKEN`. If it is `null`, tests that need it are skipped, and their titles say so. */
  operator: GivenKey;
}

/** How the service reaches the suite. */
export interface ServiceContractOptions {
  /** The title of the outer `describe`. */
  name?: string;
  /**
   * The suite's addresses. It listens on the IP address `listen`, which the service knows as `host`, with a web server
   * and a port that only accepts connections. The service checks both and sends webhooks there. Both default to
   * 127.0.0.1, which the Default organization may reach (`EGRESS_PRIVATE=auto`).
   */
  suite?: { listen: string; host: string };
}

/** Returns the key. Throws: an error with `what` if there is none. */
export async function valueOf(what: string, given: GivenKey): Promise<string> {
  const value = typeof given === 'function' ? await given() : given;
  if (value === null) throw new Error(`describeService was given no ${what}`);
  return value;
}
