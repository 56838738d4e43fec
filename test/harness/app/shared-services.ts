/** A service that several specs use, one organization each. */
export interface SharedService {
  /** Organizations that have been made on it and not yet been removed. */
  tenants: number;
  /** Fails with what is left behind of those that were removed, and ends the service. */
  end(): Promise<void>;
}

/** Where scripts/jest/environment.cjs reads what starting services took, to keep it apart from what a spec costs. */
const STARTS = Symbol.for('uptime-monitor.service-starts');
type Counted = { [STARTS]?: { count: number; seconds: number } };

/** Counts a start of a service. */
export async function counted<T>(start: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  try {
    return await start();
  } finally {
    const { user, system } = process.cpuUsage(before);
    const starts = (globalThis as Counted)[STARTS];
    if (starts) {
      starts.count++;
      starts.seconds += (user + system) / 1e6;
    }
  }
}

interface Shelf {
  services: Map<string, Promise<SharedService>>;
  isKept: boolean;
}

const shelf: Shelf = { services: new Map(), isKept: false };

/** From now on a service outlives its last user: until `endSharedServices`. */
export function keepSharedServices(): void {
  shelf.isKept = true;
}

/** The service of these settings, started when there is none. */
export function sharedService<S extends SharedService>(settings: string, start: () => Promise<S>): Promise<S> {
  const known = shelf.services.get(settings) as Promise<S> | undefined;
  if (known) return known;
  const starting = start();
  shelf.services.set(settings, starting);
  starting.catch(() => shelf.services.delete(settings));
  return starting;
}

/** To be called by who has removed its organization from it. */
export async function leaveSharedService(settings: string): Promise<void> {
  const service = await shelf.services.get(settings);
  if (!service || shelf.isKept || service.tenants > 0) return;
  shelf.services.delete(settings);
  await service.end();
}

/** Ends all of them, and fails when one was left with something in it. */
export async function endSharedServices(): Promise<void> {
  const services = await Promise.all(shelf.services.values());
  shelf.services.clear();
  const ends = await Promise.allSettled(services.map((service) => service.end()));
  const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(String).join('\n'));
}
