import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { get, query } from '../../api/client';
import type { Endpoint, LatencyBucket } from '../../api/types';
import { daysOf, WEEKS } from '../../logic/calendar';
import { now } from '../../state/clock';
import { into, useLoad, useReload } from '../../state/load';
import { Section } from '../layout';
import { Switch } from '../switch';
import { Calendar, HoursOfWeek } from './calendar';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The number of weeks in the hourly view. Each view needs one request, for hourly or daily stats. */
const WEEKS_OF_HOURS = 4;

const VIEWS = [
  ['days', 'Days of a year'],
  ['hours', 'Hours of the week'],
] as const;

/** Shows on which days of the year, and at which hours of the week, checks failed. */
export function Availability({ endpoint }: { endpoint: Endpoint }) {
  const view = useSignal<'days' | 'hours'>('days');
  const isYear = view.value === 'days';
  return (
    <Section title="Availability">
      <div class="filters">
        <Switch label="Availability by" options={VIEWS} value={view.value} set={into(view)} />
        <p class="muted small">
          {isYear ? 'Days are in UTC.' : `The last ${WEEKS_OF_HOURS} weeks, in your time zone.`}
        </p>
      </div>
      {isYear ? (
        <Stats key="days" endpoint={endpoint} weeks={WEEKS} step={DAY}>
          {(buckets) => <Calendar name={endpoint.name} days={daysOf(buckets)} nowMs={now.peek()} />}
        </Stats>
      ) : (
        <Stats key="hours" endpoint={endpoint} weeks={WEEKS_OF_HOURS} step={HOUR}>
          {(buckets) => <HoursOfWeek name={endpoint.name} buckets={buckets} />}
        </Stats>
      )}
    </Section>
  );
}

interface StatsProps {
  endpoint: Endpoint;
  weeks: number;
  /** Seconds per bucket. */
  step: number;
  children: (buckets: LatencyBucket[]) => ComponentChild;
}

/**
 * Loads the stats for the last weeks. Reloads them every hour and when the status changes, so that a failure is shown
 * immediately.
 */
function Stats({ endpoint: { id, status }, weeks, step, children }: StatsProps) {
  const path = `/api/v1/endpoints/${id}/latency`;
  const hour = useComputed(() => Math.floor(now.value / 1000 / HOUR) * HOUR).value;
  const stats = useLoad(`${path}/${step}`, (signal) =>
    get<LatencyBucket[]>(
      `${path}${query({ from: new Date((hour - weeks * 7 * DAY) * 1000).toISOString(), step })}`,
      signal,
    ),
  );
  useReload(stats, [hour, status]);
  const buckets = stats.data.value;
  const shown = useMemo(() => buckets && children(buckets), [buckets]);
  return (
    shown ?? (
      <p class="squares-to-come">
        <span class="sr">Loading…</span>
      </p>
    )
  );
}
