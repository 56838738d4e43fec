import type { ComponentChildren } from 'preact';
import type { Outage } from '../../api/types';
import { duration, time } from '../../logic/format';
import { now } from '../../state/clock';

/** The maximum number of outages to show. */
const MOST = 20;

interface Props<T> {
  outages: readonly T[] | undefined;
  /** Replaces the plain reason if the outages belong to several endpoints. */
  describe?: (outage: T) => ComponentChildren;
}

/** Lists the newest outages with their time, reason, and duration. */
export function Outages<T extends Outage & { endpoint_id?: string }>({ outages, describe = reason }: Props<T>) {
  if (outages?.length === 0) return <p class="muted">No outages.</p>;
  return (
    <ol class="feed">
      {outages?.slice(0, MOST).map((outage) => (
        <li key={`${outage.endpoint_id ?? ''} ${outage.started_at}`}>
          <span>{time(outage.started_at, now.value)}</span>
          {describe(outage)}
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

export const reasonOf = ({ error }: Pick<Outage, 'error'>): string => error?.message ?? 'No reason recorded';

const reason = (outage: Outage) => (
  <span>
    {reasonOf(outage)}
    {outage.planned && (
      <>
        {' '}
        <span class="chip">Planned</span>
      </>
    )}
  </span>
);
