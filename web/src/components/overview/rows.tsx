import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { OverviewItem } from '../../api/types';
import { acknowledgedText } from '../../logic/acknowledged-text';
import { linePath } from '../../logic/beat-shapes';
import { age, count, daysUntil, ms } from '../../logic/format';
import { reasonText } from '../../logic/reason-text';
import { itemsOf, type Line, lineAt, offsets } from '../../logic/overview-lines';
import { type Group, shownStatus } from '../../logic/overview-order';
import { now } from '../../state/clock';
import { hourlyLatency } from '../../state/overview-store';
import { fold, isCompact, isSelecting, pick, picked, uptimeWindow } from '../../state/overview-view';
import { may } from '../../state/session';
import { RecentBeats } from '../check/recent-beats';
import { Share } from '../check/share';
import { Icon } from '../icons';
import { Button } from '../layout';
import { QuietMark } from '../quiet';
import { StatusPill } from '../status';
import { openWebsite } from './website-dialog';

/** Lines rendered beyond either end of the viewport. */
const OVERSCAN = 8;

/** Renders only the lines near the viewport: a thousand endpoints scroll like ten. */
export function Rows({ lines, current }: { lines: Line[]; current: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, bottom: 1000, narrow: innerWidth <= 640 });
  const tops = offsets(lines, 40, view.value.narrow ? 84 : isCompact.value ? 40 : 52);
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
      else if (top > innerHeight - 140) scrollBy({ top: top - innerHeight + 140 });
      const focus = () => document.getElementById(`link-${id}`)?.focus({ preventScroll: true });
      // At once, for an Enter right behind; but the row may be rendered by this scrolling only.
      if (document.getElementById(`link-${id}`)) focus();
      else requestAnimationFrame(focus);
    };
    addEventListener('show-line', show);
    return () => removeEventListener('show-line', show);
  });

  const first = Math.max(0, lineAt(tops, view.value.top) - OVERSCAN);
  const last = Math.min(lines.length, lineAt(tops, view.value.bottom) + OVERSCAN + 1);
  return (
    <div
      class={`rows${isSelecting.value ? ' selecting' : ''}${isCompact.value && !view.value.narrow ? ' compact' : ''}`}
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
            <GroupHead group={line.group} isFolded={line.isFolded} />
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
            <Row item={line.item} isMixed={line.isMixed} lines={lines} />
          </div>
        );
      })}
    </div>
  );
}

function GroupHead({ group, isFolded }: { group: Group; isFolded: boolean }) {
  const { id, name, items, above, isMixed } = group;
  if (isMixed) {
    return (
      <>
        <h2>{name}</h2>
        <span class="muted small">{count(items.length, 'endpoint')}</span>
      </>
    );
  }
  const total = items.length + above;
  return (
    <>
      <h2>
        <button type="button" class="plain fold" aria-expanded={!isFolded} onClick={() => fold([id], !isFolded)}>
          <Icon name="chevron" size={14} />
          <span>{name}</span>
        </button>
      </h2>
      <StatusPill status={group.status} />
      {total === 0 ? (
        <span class="muted small">
          No endpoint yet
          {may.write() && (
            <>
              . <a href={`#/new?website_id=${id}`}>Add one</a>
            </>
          )}
        </span>
      ) : (
        <span class="muted small wide">
          {count(total, 'endpoint')}
          {above > 0 && `, ${above} above`}
        </span>
      )}
      {may.write() && (
        <Button class="plain more" label={`Change ${name}`} onClick={() => openWebsite(id)}>
          <Icon name="more" />
        </Button>
      )}
    </>
  );
}

const WINDOW_WORDS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' };

function Row({ item, isMixed, lines }: { item: OverviewItem; isMixed: boolean; lines: readonly Line[] }) {
  const shown = uptimeWindow.value;
  const window = WINDOW_WORDS[shown];
  return (
    <>
      <div class="state">
        {isSelecting.value && (
          <input
            type="checkbox"
            aria-label={`Select ${item.name}`}
            checked={picked.value.has(item.id)}
            onClick={(event) => pick(item.id, itemsOf(lines), event.shiftKey)}
          />
        )}
        <span id={`status-${item.id}`}>
          <StatusPill status={shownStatus(item)} />
          <QuietMark item={item} />
        </span>
      </div>
      <div class="name">
        <div>
          <a id={`link-${item.id}`} href={`#/endpoints/${item.id}`} aria-describedby={`status-${item.id}`}>
            {item.name}
          </a>
          {isMixed && <span class="small muted">{item.website.name}</span>}
        </div>
        <p>
          <span class="chip">{item.type}</span>
          {item.acknowledgement ? (
            <span class="chip" title={acknowledgedText(item.acknowledgement, now.value)}>
              In hand
            </span>
          ) : (
            item.alert_open && (
              <span class="chip" title="An alert is open">
                Alert open
              </span>
            )
          )}
          <Certificate expiresAt={item.certificate_expires_at} />
          <span>{item.status === 'down' && item.last_error !== null ? reasonText(item.last_error) : item.url}</span>
        </p>
      </div>
      <RecentBeats item={item} />
      <span class="num">
        <span class="sr">Uptime {window} </span>
        <Share
          of={item[`uptime_${shown}`]}
          watched={item[`watched_${shown}`]}
          coverage={shown === '24h' ? item.coverage_24h : undefined}
          window={window}
        />
      </span>
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

/** A line of two points tells nothing. */
const FEWEST_POINTS = 3;

function Sparkline({ item }: { item: OverviewItem }) {
  const points = hourlyLatency.value.get(item.id) ?? [];
  const known = points.filter((point) => point !== null);
  if (known.length < FEWEST_POINTS) return <svg class="sparkline" aria-hidden="true" />;
  const scale = `By the hour: ${ms(Math.min(...known))} to ${ms(Math.max(...known))} in ${count(known.length, 'hour')}`;
  return (
    <svg class="sparkline" viewBox="0 0 104 24" aria-hidden="true">
      <title>{scale}</title>
      <path d={linePath(points, 104, 24)} />
    </svg>
  );
}
