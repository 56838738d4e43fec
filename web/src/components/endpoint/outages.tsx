import type { Outage } from '../../api/types';
import { duration, time } from '../../logic/format';
import { now } from '../../state/clock';

/** The newest outages: when, why, how long. */
export function Outages({ outages }: { outages: readonly Outage[] | undefined }) {
  if (outages?.length === 0) return <p class="muted">None. Long may it last.</p>;
  return (
    <ol class="feed">
      {outages?.slice(0, 20).map((outage) => (
        <li key={outage.started_at}>
          <span>{time(outage.started_at, now.value)}</span>
          <span>
            {outage.error?.message ?? 'No reason kept'}
            {outage.planned && (
              <>
                {' '}
                <span class="chip">Planned</span>
              </>
            )}
          </span>
          <span class="num">
            {outage.ended_at === null && 'still down, '}
            {duration(
              ((outage.ended_at ? Date.parse(outage.ended_at) : now.value) - Date.parse(outage.started_at)) / 1000,
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
