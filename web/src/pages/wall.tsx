import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { page } from '../api/client';
import type { AlertEvent, OverviewItem } from '../api/types';
import { Shape, statusWord } from '../components/status';
import { Votes } from '../components/votes';
import { clockTime, duration, ms, time } from '../logic/format';
import { headlineOf } from '../logic/overview-headline';
import { filtersOf, selected, shownStatus } from '../logic/overview-order';
import { reasonText } from '../logic/reason-text';
import { needsSomebody, wallGrid, wallOrder } from '../logic/wall';
import { now } from '../state/clock';
import { lastMessageAt, listen, live } from '../state/live';
import { useEvery, useLoad } from '../state/load';
import { items, refresh, refreshWebsites, websites } from '../state/overview-store';
import { route, setQuery } from '../state/router';
import { isWall } from '../state/theme';

/** Below this width, a tile shows only a color, because its name couldn't be read from a distance. */
const READABLE_PX = 96;

/** The font size for a name, relative to the width of its tile. */
const TEXT = 0.08;

/**
 * The overview for a screen on a wall: dark, without navigation, and with all endpoints at once. The worst are first
 * and largest.
 */
export function Wall() {
  const tiles = useRef<HTMLUListElement>(null);
  const screen = useSignal({ width: 0, height: 0 });

  useEffect(() => {
    void refresh();
    void refreshWebsites();
    isWall.value = true;
    return () => {
      isWall.value = false;
    };
  }, []);
  useEvery(15, () => void refresh());
  useEvery(300, () => void refreshWebsites());

  useLayoutEffect(() => {
    if (!tiles.current) return;
    const watched = new ResizeObserver(([entry]) => {
      if (entry) screen.value = entry.contentRect;
    });
    watched.observe(tiles.current);
    return () => watched.disconnect();
  }, []);

  const shown = wallOrder(selected(items.value ?? [], filtersOf(route.value.query), websites.value ?? []));
  const loud = shown.filter(needsSomebody).length;
  const { columns, width, height, gap, span } = wallGrid(shown.length - loud, loud, screen.value);
  const { status, before, item, after } = headlineOf(shown, now.value);
  return (
    <main id="main" class="wall" tabIndex={-1}>
      <header class={items.value === null ? '' : status}>
        <h1>
          {items.value === null ? 'Loading…' : `${before}${item?.name ?? ''}${after}`}
          {live.value === 'lost' && <small role="alert"> Connection lost at {clockTime(lastMessageAt.value)}.</small>}
        </h1>
        <time>{clockTime(now.value)}</time>
      </header>
      <ul
        ref={tiles}
        class={width < READABLE_PX ? 'small' : ''}
        style={{
          gap: `${gap}px`,
          gridTemplateColumns: `repeat(${columns}, ${width}px)`,
          gridAutoRows: `${height}px`,
        }}
      >
        {shown.map((each) => (
          <Tile key={each.id} item={each} span={needsSomebody(each) ? span : 1} width={width} />
        ))}
      </ul>
      <footer>
        <LastEvent />
        <button type="button" onClick={() => setQuery({ wall: null })}>
          Leave the wall
        </button>
      </footer>
    </main>
  );
}

function Tile({ item, span, width }: { item: OverviewItem; span: number; width: number }) {
  const status = shownStatus(item);
  const isLoud = needsSomebody(item);
  const since = (now.value - Date.parse(item.status_since ?? '')) / 1000;
  return (
    <li
      class={`${status}${isLoud ? ' loud' : ''}`}
      title={item.name}
      style={{
        gridArea: `span ${span} / span ${span}`,
        fontSize: `${Math.max(12, Math.round(width * span * TEXT))}px`,
      }}
    >
      <b>
        <Shape status={status} />
        <span class="sr">{statusWord(status)}</span> {item.name}
      </b>
      {isLoud ? (
        <p>
          {item.acknowledgement ? 'Acknowledged. ' : ''}
          {status === 'down' && item.last_error !== null ? reasonText(item.last_error) : statusWord(status)}
          {status === 'down' && since >= 0 ? `, for ${duration(since - (since >= 60 ? since % 60 : 0))}` : ''}{' '}
          <Votes of={item} />
        </p>
      ) : (
        <p>{status === 'up' ? ms(item.p95_ms) : statusWord(status)}</p>
      )}
    </li>
  );
}

function LastEvent() {
  const read = useLoad('wall/event', async (signal) => {
    const { items: events } = await page<AlertEvent>('/api/v1/alerts/events?limit=1', signal);
    return events[0] ?? null;
  });
  useEffect(() => listen({ alert: read.reload }), []);
  useEvery(60, read.reload);
  const event = read.data.value;
  return <p role="status">{event && `${time(event.created_at, now.value)} ${event.message}`}</p>;
}
