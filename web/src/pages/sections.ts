import type { IconName } from '../components/icons';

/** An entry of the main navigation. It links to the first route of its section. */
export interface Section {
  title: string;
  icon: IconName;
  /** Whether the entry is in the bar at the bottom of a phone. The others are in its "More" menu. */
  isOnPhone?: boolean;
}

/**
 * The main navigation, in order. To add an entry, add it here and name it as the `section` of a route. Entries without
 * a route aren't shown.
 */
export const SECTIONS = [
  { title: 'Overview', icon: 'home', isOnPhone: true },
  { title: 'Incidents', icon: 'alert', isOnPhone: true },
  { title: 'Alerts', icon: 'bell', isOnPhone: true },
  { title: 'Maintenance', icon: 'wrench' },
  { title: 'Status pages', icon: 'globe' },
  { title: 'Reports', icon: 'chart' },
  { title: 'Settings', icon: 'gear' },
] as const satisfies readonly Section[];

export type SectionTitle = (typeof SECTIONS)[number]['title'];
