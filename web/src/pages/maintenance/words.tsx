import { all } from '../../api/client';
import type { MaintenanceWindow, Website } from '../../api/types';
import { Icon } from '../../components/icons';
import { time } from '../../logic/format';
import { now } from '../../state/clock';
import { type Loaded, useLoad } from '../../state/load';
import { itemOf } from '../../state/overview-store';

/** Loads all websites to get their names. */
export const useWebsites = (): Loaded<Website[]> =>
  useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal));

/** Returns a function that looks up the name of a website or endpoint. Until the name is known, it returns the ID. */
export function nameIn(websites: readonly Website[] | undefined): (id: string) => string {
  // Reading a name loads the overview.
  return (id) => websites?.find((each) => each.id === id)?.name ?? itemOf(id)?.name ?? id;
}

const WORDS: Record<MaintenanceWindow['status'], string> = {
  active: 'Active',
  scheduled: 'Scheduled',
  ended: 'Ended',
};

export const WindowPill = ({ status }: { status: MaintenanceWindow['status'] }) => (
  <span class={`status ${status === 'active' ? 'planned' : 'paused'}`}>
    {status === 'active' && <Icon name="wrench" size={12} />}
    {WORDS[status]}
  </span>
);

/** Returns when an active window ends, or when a window starts next. */
export function nextText({ active_until, next: [first], ends_at }: MaintenanceWindow): string {
  if (active_until !== null) return `until ${time(active_until, now.value)}`;
  if (first) return `${time(first.starts_at, now.value)} to ${time(first.ends_at, now.value)}`;
  return ends_at === null ? '–' : `ended ${time(ends_at, now.value)}`;
}
