/** A service shared by several specs. Each spec has its own organization. */
export interface SharedService {
  /** The number of organizations that have been created on it but not removed yet. */
  tenants: number;
  /** Fails with the rows that removed organizations left behind, and stops the service. */
  end(): Promise<void>;
}

/** scripts/jest/environment.cjs reads the cost of starting services here, to separate it from the cost of a spec. */
const STARTS = Symbol.for('uptime-monitor.service-starts');
type Counted = { [STARTS]?: { count: number; seconds: number } };

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

/** From now on, services are kept after their last user leaves, until `endSharedServices`. */
export function keepSharedServices(): void {
  shelf.isKept = true;
}

/** Returns the service with these settings, starting it if necessary. */
export function sharedService<S extends SharedService>(settings: string, start: () => Promise<S>): Promise<S> {
  const known = shelf.services.get(settings) as Promise<S> | undefined;
  if (known) return known;
  const starting = start();
  shelf.services.set(settings, starting);
  starting.catch(() => shelf.services.delete(settings));
  return starting;
}

/** Call this after your organization has been removed from the service. */
export async function leaveSharedService(settings: string): Promise<void> {
  const service = await shelf.services.get(settings);
  if (!service || shelf.isKept || service.tenants > 0) return;
  shelf.services.delete(settings);
  await service.end();
}

/** Stops all services. Fails if any of them still contains data. */
export async function endSharedServices(): Promise<void> {
  const services = await Promise.all(shelf.services.values());
  shelf.services.clear();
  const ends = await Promise.allSettled(services.map((service) => service.end()));
  const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (reasons.length > 0) throw new AggregateError(reasons, reasons.map(String).join('\n'));
}
