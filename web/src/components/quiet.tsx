import type { Maintenance, OverviewItem } from '../api/types';
import { time } from '../logic/format';
import { effectsText } from '../logic/maintenance';
import { now } from '../state/clock';
import { Icon } from './icons';

/** Returns text such as `In maintenance: Patch night, until 04:00:00`. */
export const maintenanceText = ({ name, until }: Maintenance, nowMs: number): string =>
  `In maintenance: ${name}, until ${time(until, nowMs)}`;

/** A wrench next to the status of an endpoint in maintenance. The tooltip and screen readers provide the details. */
export function QuietMark({ item: { maintenance } }: { item: OverviewItem }) {
  if (!maintenance) return null;
  const text = `${maintenanceText(maintenance, now.value)} (${effectsText(maintenance)})`;
  return (
    <span class="wrench" title={text}>
      <Icon name="wrench" />
      <span class="sr">{text}</span>
    </span>
  );
}

/** Shows on an endpoint's page that the endpoint is in maintenance, and what that affects. */
export const MaintenanceBanner = ({ of }: { of: Maintenance }) => (
  <div class="notice quiet planned">
    <Icon name="wrench" />
    <p>
      <strong>In maintenance</strong> until {time(of.until, now.value)}:{' '}
      <a href={`#/maintenance/${of.id}`}>{of.name}</a>. {sentence(effectsText(of))}
    </p>
  </div>
);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
