import type { OverviewItem } from '../api/types';
import { downText, votesText } from '../logic/location';

/** How many of its locations see an endpoint down; nothing while none does, or where it has one. */
export function Votes({ of: { locations, status } }: { of: Pick<OverviewItem, 'locations' | 'status'> }) {
  const text = downText(locations);
  if (text === null || locations === null) return null;
  return (
    <span class={`status ${status === 'down' ? 'down' : 'degraded'}`} title={votesText(locations)}>
      {text}
    </span>
  );
}
