import type { Probe } from '../../client/index.cjs';
import { type Colour, type Paint, shown, table } from '../uptime/style';

export type ListedProbe = Pick<
  Probe,
  'status' | 'key' | 'shared' | 'name' | 'region' | 'version' | 'last_seen_at' | 'endpoint_count'
>;

const COLOURS: Readonly<Record<string, Colour>> = { online: 'green', offline: 'red', unsupported: 'yellow' };

/** Returns one line for each probe, in API order, including the location that endpoints use. */
export function probeTable(found: readonly ListedProbe[], paint: Paint): string[] {
  const rows = found.map((each) => [
    each.status,
    `${each.shared ? 'shared/' : ''}${shown(each.key)}`,
    shown(each.region === '' ? '-' : each.region, 20),
    shown(each.version ?? '-', 20),
    each.last_seen_at ?? '-',
    String(each.endpoint_count),
    shown(each.name, 40),
  ]);
  return table(
    ['STATUS', 'LOCATION', 'REGION', 'VERSION', 'LAST SEEN', 'ENDPOINTS', 'NAME'],
    rows,
    (column, cell, [status = '']) => (column === 0 ? paint(COLOURS[status] ?? 'faint', cell) : cell),
  );
}
