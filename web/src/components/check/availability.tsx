import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { get, query } from '../../api/client';
import type { Endpoint, LatencyBucket, Outage } from '../../api/types';
import { daysOf, WEEKS } from '../../logic/calendar';
import { now } from '../../state/clock';
import { into, useLoad, useReload } from '../../state/load';
import { Section } from '../layout';
import { Switch } from '../switch';
import { Calendar, HoursOfWeek } from './calendar';
import { NinetyDays } from './ninety-days';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The number of weeks in the hourly view. Each view needs one request, for hourly or daily stats. */
const WEEKS_OF_HOURS = 4;
/** Enough weeks for 90 days. */
const WEEKS_OF_NINETY = 13;

const VIEWS = [
  ['ninety', '90 days'],
  ['days', 'Days of a year'],
  ['hours', 'Hours of the week'],
] as const;

interface Props {
  endpoint: Endpoint;
  outages: readonly Outage[];
}

/** Shows on which days, and at which hours of the week, checks failed. */
export function Availability({ endpoint, outages }: Props) {
  const view = useSignal<(typeof VIEWS)[number][0]>('ninety');
  return (
    <Section title="Uptime by day">
      <div class="filters">
        <Switch label="Availability by" options={VIEWS} value={view.value} set={into(view)} />
        <p class="muted small">
          {view.value === 'hours' ? `The last ${WEEKS_OF_HOURS} weeks, in your time zone.` : 'Days are in UTC.'}
        </p>
      </div>
      {view.value === 'ninety' ? (
        <Stats key="ninety" endpoint={endpoint} weeks={WEEKS_OF_NINETY} step={DAY} also={outages}>
          {(buckets) => (
            <NinetyDays endpointId={endpoint.id} name={endpoint.name} buckets={buckets} outages={outages} />
          )}
        </Stats>
      ) : view.value === 'days' ? (
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
  /** Other data that the children show. They are rendered again when it changes. */
  also?: unknown;
  children: (buckets: LatencyBucket[]) => ComponentChild;
}

/**
 * Loads the stats for the last weeks. Reloads them every hour and when the status changes, so that a failure is shown
 * immediately.
 */
function Stats({ endpoint: { id, status }, weeks, step, also, children }: StatsProps) {
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
  const shown = useMemo(() => buckets && children(buckets), [buckets, also]);
  return (
    shown ?? (
      <p class="squares-to-come">
        <span class="sr">Loading…</span>
      </p>
    )
  );
}
