import type { ComponentChildren } from 'preact';
import type { Check, Endpoint, Heartbeat, Uptime } from '../../api/types';
import { age, duration, ms, nextCheckText } from '../../logic/format';
import { expectedIn } from '../../logic/heartbeat';
import { fewText } from '../../logic/watched';
import { now } from '../../state/clock';
import { setUptimeWindow, uptimeWindow } from '../../state/overview-view';
import { Share } from '../check/share';
import { optionsOf } from '../form/field';
import { statusWord } from '../status';

/** The uptime windows shown on the page, with names for screen readers. */
export const WINDOWS = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const;

interface Props {
  endpoint: Endpoint;
  newest: Check | undefined;
  /** In the order of `WINDOWS`. */
  uptimes: readonly Uptime[] | undefined;
}

/** Shows an endpoint's key numbers: last result, p95, next check, and the uptime over a window that the user chooses. */
export function Tiles({ endpoint, newest, uptimes }: Props) {
  const planned = WINDOWS.flatMap(([window], index) => {
    const seconds = uptimes?.[index]?.planned_seconds ?? 0;
    return seconds === 0 ? [] : [`${duration(seconds)} of ${window}`];
  });
  const at = Math.max(
    0,
    WINDOWS.findIndex(([window]) => window === uptimeWindow.value),
  );
  const [uptime, name] = [uptimes?.[at], WINDOWS[at]?.[1] ?? ''];
  return (
    <>
      <dl class="tiles figures">
        {endpoint.heartbeat ? (
          <Reported of={endpoint.heartbeat} month={uptimes?.[2]} />
        ) : (
          <Checked endpoint={endpoint} newest={newest} lastDay={uptimes?.[0]} />
        )}
        <Tile
          name={
            <>
              Uptime{' '}
              <select
                aria-label="Uptime over"
                value={uptimeWindow.value}
                onChange={({ currentTarget: { value } }) => {
                  const chosen = WINDOWS.find(([each]) => each === value);
                  if (chosen) setUptimeWindow(chosen[0]);
                }}
              >
                {optionsOf(WINDOWS)}
              </select>
            </>
          }
        >
          {uptime === undefined ? (
            <Blank />
          ) : (
            <>
              <Share of={uptime.uptime} watched={uptime.watched} coverage={uptime.coverage} window={name} />
              <Watched part={uptime.watched * (uptime.coverage ?? 1)} />
            </>
          )}
        </Tile>
      </dl>
      {planned.length > 0 && (
        <p class="muted small below">Planned maintenance, not counted in uptime: {planned.join(', ')}.</p>
      )}
    </>
  );
}

interface CheckedProps extends Omit<Props, 'uptimes'> {
  lastDay: Uptime | undefined;
}

function Checked({ endpoint, newest, lastDay }: CheckedProps) {
  const few = fewText(lastDay?.checks);
  return (
    <>
      <Tile name="Now">{newest?.outcome === 'up' ? ms(newest.duration_ms) : statusWord(endpoint.status)}</Tile>
      <Tile name="p95, 24 h">
        {lastDay === undefined ? <Blank /> : few === null ? ms(lastDay.latency.p95) : <Few of={lastDay} few={few} />}
      </Tile>
      <Tile name="Next check">
        <NextCheck next={endpoint.next_check_at} interval={endpoint.interval ?? 1} />
      </Tile>
    </>
  );
}

/** Shows key numbers for a job. They cover a month, because a nightly job runs only once a day. */
function Reported({ of: { last_ping_at, next_expected_at }, month }: { of: Heartbeat; month: Uptime | undefined }) {
  return (
    <>
      <Tile name="Last ping">{last_ping_at === null ? 'none yet' : `${age(last_ping_at, now.value)} ago`}</Tile>
      <Tile name="Run time p95, 30 d">
        {/* If a run sent no start ping, it has no duration. */}
        {month === undefined ? <Blank /> : ms(month.latency.p95 || null)}
      </Tile>
      <Tile name="Next expected">{expectedIn(next_expected_at, now.value)}</Tile>
    </>
  );
}

const Tile = ({ name, children }: { name: ComponentChildren; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A placeholder for a number that is still loading. */
const Blank = () => <span class="blank">&nbsp;</span>;

/** Mutes an uptime that is based on few checks, and shows how many there are. */
const Few = ({ of, few }: { of: Uptime; few: string }) => (
  <span class="thin">
    {ms(of.latency.p95)} <span class="small">{few}</span>
  </span>
);

/** Shows as a bar how much of the window an uptime is based on. `Share` says it in words. */
const Watched = ({ part }: { part: number }) => (
  <span class="watched" aria-hidden="true">
    <i style={{ width: `${part * 100}%` }} />
  </span>
);

/** Shows the time until the next check as a ring that empties. */
function NextCheck({ next: at, interval }: { next: string | null; interval: number }) {
  const left = at === null ? 0 : Math.min(Math.max((Date.parse(at) - now.value) / 1000 / interval, 0), 1);
  return (
    <span class="next-check">
      <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
        <circle cx="11" cy="11" r="9" />
        <circle cx="11" cy="11" r="9" pathLength="100" stroke-dasharray={`${left * 100} 100`} />
      </svg>
      {nextCheckText(at, now.value)}
    </span>
  );
}
