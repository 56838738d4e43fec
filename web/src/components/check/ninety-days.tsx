import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { page, query } from '../../api/client';
import type { Incident, LatencyBucket, Outage } from '../../api/types';
import { type Day, dayText } from '../../logic/calendar';
import { clockTime, duration } from '../../logic/format';
import { titleOf } from '../../logic/incident';
import {
  BAR,
  dayPath,
  DAYS,
  daySentence,
  daysSummary,
  downSeconds,
  ninetyDays,
  outagesOn,
  type Severity,
  severityOf,
} from '../../logic/ninety-days';
import { now } from '../../state/clock';
import { useLoad } from '../../state/load';
import { Button } from '../layout';
import { hideTip, showTip } from '../tip';
import { sliderOver } from './slider';

const KINDS: readonly [severity: Severity, name: string][] = [
  ['good', 'No failures'],
  ['slight', 'Up to 1% failed'],
  ['bad', 'Up to 10% failed'],
  ['worst', 'More than 10% failed'],
  ['planned', 'Maintenance'],
  ['unknown', 'Unknown'],
  ['none', 'Not checked'],
];

interface Props {
  endpointId: string;
  name: string;
  buckets: readonly LatencyBucket[];
  outages: readonly Outage[];
}

/** Shows the last 90 days as equal bars. A click or Enter opens a day with its outages and incidents. */
export function NinetyDays({ endpointId, name, buckets, outages }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const at = useSignal<number | null>(null);
  const opened = useSignal<string | null>(null);
  const days = useMemo(() => ninetyDays(buckets, now.peek()), [buckets]);
  const severities = days.map(severityOf);
  const index = at.value;
  const day = index === null ? undefined : days[index];
  const text = day ? daySentence(day, outages, now.peek()) : daysSummary(days);
  const open = days.find(({ date }) => date === opened.value);

  useEffect(() => {
    if (index === null || !box.current) return;
    const { left, top, width } = box.current.getBoundingClientRect();
    showTip(left + ((index + 0.5) / DAYS) * width, top, text);
  }, [index, text]);

  const select = (next: number) => {
    at.value = Math.min(Math.max(next, 0), DAYS - 1);
  };
  const leave = () => {
    at.value = null;
    hideTip();
  };
  const toggle = (shown: Day | undefined) => {
    opened.value = !shown || opened.value === shown.date ? null : shown.date;
  };
  const step = (event: KeyboardEvent) => {
    if (event.key === 'Escape') opened.value = null;
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 7, ArrowDown: -7, Home: -DAYS, End: DAYS }[event.key];
    if (event.key === 'Enter') toggle(days[at.value ?? DAYS - 1]);
    else if (move !== undefined) select((at.value ?? DAYS - 1) + move);
    else return;
    event.preventDefault();
  };
  const pointed = (event: MouseEvent & { currentTarget: Element }): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.floor(((event.clientX - left) / width) * DAYS);
  };
  return (
    <div class="ninety">
      <div
        ref={box}
        class="ninety-bars"
        aria-label={`Last ${DAYS} days of ${name}`}
        {...sliderOver({ last: DAYS - 1, index, text, select, leave })}
        onKeyDown={step}
        onPointerMove={(event) => select(pointed(event))}
        onClick={(event) => toggle(days[Math.min(Math.max(pointed(event), 0), DAYS - 1)])}
      >
        <svg viewBox={`0 -1 ${DAYS * BAR.step} ${BAR.height + 2}`} preserveAspectRatio="none" aria-hidden="true">
          {KINDS.map(([severity]) => (
            <path key={severity} class={`day-${severity}`} d={dayPath(severities, severity)} />
          ))}
          <rect class="today" x={(DAYS - 1) * BAR.step} y={-0.5} width={BAR.step} height={BAR.height + 1} />
          {index !== null && (
            <rect class="b-at" x={index * BAR.step} y={-0.5} width={BAR.step} height={BAR.height + 1} />
          )}
        </svg>
      </div>
      <div class="ninety-ends" aria-hidden="true">
        <span>{DAYS} days ago</span>
        <span>Today (UTC)</span>
      </div>
      {open && (
        <DayCard
          key={open.date}
          endpointId={endpointId}
          day={open}
          outages={outagesOn(open, outages, now.value)}
          close={() => (opened.value = null)}
        />
      )}
      <ul class="legend">
        {KINDS.filter(([severity]) => severities.includes(severity)).map(([severity, title]) => (
          <li key={severity}>
            <svg width="6" height="16" viewBox={`0 0 ${BAR.step} ${BAR.height}`} aria-hidden="true">
              <path class={`day-${severity}`} d={dayPath([severity], severity)} />
            </svg>
            {title}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DayCardProps {
  endpointId: string;
  day: Day;
  outages: readonly Outage[];
  close: () => void;
}

/** The downtime of a day, with its outages and links to its incidents. */
function DayCard({ endpointId, day, outages, close }: DayCardProps) {
  const incidents = useLoad(`incidents/${endpointId}/${day.date}`, async (signal) => {
    const from = new Date(day.date).toISOString();
    const to = new Date(Date.parse(day.date) + 86_400_000).toISOString();
    return (await page<Incident>(`/api/v1/incidents${query({ endpoint_id: endpointId, from, to, limit: 10 })}`, signal))
      .items;
  });
  const seconds = downSeconds(day, outages, now.value);
  return (
    <div class="day-card" role="region" aria-label={dayText(day)}>
      <div class="head">
        <strong>{dayText(day)}</strong>
        <Button class="plain" label="Close the day" onClick={close}>
          Close
        </Button>
      </div>
      {outages.length === 0 ? (
        <p class="muted">No outages.</p>
      ) : (
        <>
          <p>Down for {duration(seconds)} in total.</p>
          <ul>
            {outages.map(({ started_at, ended_at, error }) => (
              <li key={started_at}>
                {clockTime(Date.parse(started_at))} to {ended_at === null ? 'now' : clockTime(Date.parse(ended_at))}
                <span class="muted"> · {error?.message ?? 'No reason recorded'}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {incidents.data.value?.map((incident) => (
        <p key={incident.id}>
          <a href={`#/incidents/${incident.id}`}>
            Incident #{incident.number}: {titleOf(incident)}
          </a>
        </p>
      ))}
    </div>
  );
}
