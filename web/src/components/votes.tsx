import type { OverviewItem } from '../api/types';
import { downText, votesText } from '../logic/votes';

/** Shows how many locations see an endpoint as down. Renders nothing if none does, or if there is only one location. */
export function Votes({ of: { locations, status } }: { of: Pick<OverviewItem, 'locations' | 'status'> }) {
  const text = downText(locations);
  if (text === null || locations === null) return null;
  return (
    <span class={`status ${status === 'down' ? 'down' : 'degraded'}`} title={votesText(locations)}>
      {text}
    </span>
  );
}
