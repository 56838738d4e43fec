import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { OverviewItem } from '../../api/types';
import { linePath } from '../../logic/beat-shapes';
import { age, count, daysUntil, ms, percent } from '../../logic/format';
import { type Line, lineAt, offsets } from '../../logic/overview-lines';
import { now } from '../../state/clock';
import { hourlyLatency } from '../../state/overview-store';
import { may } from '../../state/session';
import { RecentBeats } from '../check/recent-beats';
import { StatusPill } from '../status';

/** Lines rendered beyond either end of the viewport. */
const OVERSCAN = 8;

/** Renders only the lines near the viewport: a thousand endpoints scroll like ten. */
export function Rows({ lines, current }: { lines: Line[]; current: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, bottom: 1000, narrow: innerWidth <= 640 });
  const tops = offsets(lines, 40, view.value.narrow ? 84 : 52);
  const height = tops[tops.length - 1] ?? 0;

  useLayoutEffect(() => {
    const measure = () => {
      const top = -(box.current?.getBoundingClientRect().top ?? 0);
      const next = { top, bottom: top + innerHeight, narrow: innerWidth <= 640 };
      const { value } = view;
      if (
        Math.abs(value.top - next.top) > 100 ||
        value.bottom - value.top !== next.bottom - next.top ||
        value.narrow !== next.narrow
      )
        view.value = next;
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, []);

  useEffect(() => {
    const show = (event: Event) => {
      const id = (event as CustomEvent<string>).detail;
      const index = lines.findIndex((line) => 'item' in line && line.item.id === id);
      const top = (box.current?.getBoundingClientRect().top ?? 0) + (tops[index] ?? 0);
      if (top < 160) scrollBy({ top: top - 160 });
      else if (top > innerHeight - 80) scrollBy({ top: top - innerHeight + 80 });
    };
    addEventListener('show-line', show);
    return () => removeEventListener('show-line', show);
  });

  const first = Math.max(0, lineAt(tops, view.value.top) - OVERSCAN);
  const last = Math.min(lines.length, lineAt(tops, view.value.bottom) + OVERSCAN + 1);
  return (
    <div
      class="rows"
      ref={box}
      role="list"
      aria-label="Endpoints"
      style={{ height: `${height}px` }}
      hidden={lines.length === 0}
    >
      {lines.slice(first, last).map((line, index) => {
        const top = tops[first + index] ?? 0;
        const place = { top: `${top}px`, height: `${(tops[first + index + 1] ?? 0) - top}px` };
        const position = { 'aria-setsize': lines.length, 'aria-posinset': first + index + 1 };
        return 'group' in line ? (
          <div class="group" role="listitem" key={line.group.id} style={place} {...position}>
            <h2>{may.write() ? <a href={`#/websites/${line.group.id}`}>{line.group.name}</a> : line.group.name}</h2>
            <StatusPill status={line.group.status} />
            <span class="muted small">{count(line.group.items.length, 'endpoint')}</span>
          </div>
        ) : (
          <div
            class="row"
            role="listitem"
            key={line.item.id}
            style={place}
            data-current={current === line.item.id ? '' : undefined}
            {...position}
          >
            <Row item={line.item} />
          </div>
        );
      })}
    </div>
  );
}

function Row({ item }: { item: OverviewItem }) {
  return (
    <>
      <div class="state">
        <StatusPill status={item.status} />
      </div>
      <div class="name">
        <a href={`#/endpoints/${item.id}`}>{item.name}</a>
        <p>
          <span class="chip">{item.type}</span>
          <Certificate expiresAt={item.certificate_expires_at} />
          {item.alert_open && (
            <span class="chip" title="An alert is open">
              Alert open
            </span>
          )}
          <span>{item.status === 'down' && item.last_error ? item.last_error.replaceAll('_', ' ') : item.url}</span>
        </p>
      </div>
      <RecentBeats item={item} />
      <span class="num">
        <span class="sr">Uptime 24 hours </span>
        {percent(item.uptime_24h)}
      </span>
      <span class="num less">{percent(item.uptime_7d)}</span>
      <span class="num less">{percent(item.uptime_30d)}</span>
      <span class="num less">{percent(item.uptime_90d)}</span>
      <div class="spark">
        <Sparkline item={item} />
        <span class="num">
          <span class="sr">p95 </span>
          {ms(item.p95_ms)}
        </span>
      </div>
      <span class="num muted less">{age(item.last_checked_at, now.value)}</span>
    </>
  );
}

function Certificate({ expiresAt }: { expiresAt: string | null }) {
  if (expiresAt === null) return null;
  const days = daysUntil(expiresAt, now.value);
  if (days >= 30) return null;
  return (
    <span class={`status ${days < 7 ? 'down' : 'unknown'}`}>
      {days < 0 ? 'Certificate expired' : `Certificate ${days} d`}
    </span>
  );
}

/** Loaded for rendered rows only, at most every five minutes: the overview's response stays small. */
function Sparkline({ item }: { item: OverviewItem }) {
  const version = String(Math.floor(now.value / 300_000));
  const values = hourlyLatency.read(item.id, version);
  return (
    <svg class="sparkline" viewBox="0 0 104 24" aria-hidden="true">
      <path d={linePath(values ?? [], 104, 24)} />
    </svg>
  );
}
