/** A value, or a function that returns it when the suite starts. A service is usually started in `beforeAll`. */
export type Given<T> = T | (() => T | Promise<T>);

/** A key. The suite refuses `null`, which is the key of a client without one, when it starts. */
export type GivenKey = Given<string | null>;

/** The keys of one organization, one for each role. */
export interface ServiceKeys {
  admin: GivenKey;
  write: GivenKey;
  read: GivenKey;
  /** `OPERATOR_TOKEN` of the service. If it is `null`, tests that need it are skipped and say so. */
  operator: GivenKey;
}

/** How the service reaches the suite. */
export interface ServiceContractOptions {
  /** The title of the outer `describe`. */
  name?: string;
  /**
   * The addresses of the suite. It listens on the IP address `listen`, which the service knows as `host`, with a web
   * server and a port that only accepts. The service checks both and sends webhooks there. Default: 127.0.0.1 for both,
   * which the Default organization may reach (`EGRESS_PRIVATE=auto`).
   */
  suite?: { listen: string; host: string };
}

/** Returns the key. Throws: an error with `what` if there is none. */
export async function valueOf(what: string, given: GivenKey): Promise<string> {
  const value = typeof given === 'function' ? await given() : given;
  if (value === null) throw new Error(`describeService was given no ${what}`);
  return value;
}
