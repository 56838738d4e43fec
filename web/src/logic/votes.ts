import type { OverviewItem } from '../api/types';
import { count } from './format';

/** Returns text such as `1 of 3 down`, or `null` if no location reports down. */
export const downText = (locations: OverviewItem['locations']): string | null =>
  !locations || locations.total < 2 || locations.down === 0 ? null : `${locations.down} of ${locations.total} down`;

/** Returns text such as `1 of 3 locations reports down; 2 of 3 count`. */
export const votesText = ({ down, reporting, total }: NonNullable<OverviewItem['locations']>): string =>
  `${down} of ${count(total, 'location')} ${down === 1 ? 'reports' : 'report'} down${reporting < total ? `; ${reporting} of ${total} ${reporting === 1 ? 'counts' : 'count'}` : ''}`;
