import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { count } from '../../logic/format';
import { type Line, lineAt, offsets } from '../../logic/overview-lines';
import type { Group } from '../../logic/overview-order';
import { openWebsite } from '../../state/edited-website';
import { fold, isCompact, isSelecting } from '../../state/overview-view';
import { may } from '../../state/session';
import { Icon } from '../icons';
import { Button } from '../layout';
import { StatusPill } from '../status';
import { Cells, ColumnsHead, TEMPLATES } from './columns';

/** The number of lines to render above and below the viewport. */
const OVERSCAN = 8;

/** Renders only the lines near the viewport, so that a thousand endpoints scroll as smoothly as ten. */
export function Rows({ lines, current }: { lines: Line[]; current: string | null }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, bottom: 1000, narrow: innerWidth <= 640 });
  const tops = offsets(lines, 40, view.value.narrow ? 84 : isCompact.value ? 40 : 56);
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
    // On paper, all rows are needed.
    const showAll = () => {
      view.value = { ...view.value, top: 0, bottom: Number.MAX_SAFE_INTEGER };
    };
    measure();
    addEventListener('beforeprint', showAll);
    addEventListener('afterprint', measure);
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('beforeprint', showAll);
      removeEventListener('afterprint', measure);
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
      else if (top > innerHeight - 180) scrollBy({ top: top - innerHeight + 180 });
      const focus = () => document.getElementById(`link-${id}`)?.focus({ preventScroll: true });
      // Focuses immediately if possible, so that pressing Enter right afterward works. Otherwise, the row must be
      // scrolled into view and rendered first.
      if (document.getElementById(`link-${id}`)) focus();
      else requestAnimationFrame(focus);
    };
    addEventListener('show-line', show);
    return () => removeEventListener('show-line', show);
  });

  const first = Math.max(0, lineAt(tops, view.value.top) - OVERSCAN);
  const last = Math.min(lines.length, lineAt(tops, view.value.bottom) + OVERSCAN + 1);
  return (
    <div class="endpoints" style={TEMPLATES}>
      <ColumnsHead />
      <div
        class={`rows${isSelecting.value ? ' selecting' : ''}${isCompact.value && !view.value.narrow ? ' compact' : ''}`}
        id="list"
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
              <Cells item={line.item} isMixed={line.isMixed} lines={lines} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GroupHead({ group, isFolded }: { group: Group; isFolded: boolean }) {
  const { id, name, items, above } = group;
  const total = items.length + above;
  return (
    <>
      <h2>
        <button type="button" class="plain fold" aria-expanded={!isFolded} onClick={() => fold([id], !isFolded)}>
          <Icon name="chevron" size={14} />
          <span>{name}</span>
        </button>
      </h2>
      {group.status !== 'up' && <StatusPill status={group.status} />}
      {total === 0 ? (
        <span class="muted small">
          No endpoints yet
          {may.write() && (
            <>
              . <a href={`#/new?website_id=${id}`}>Add one</a>
            </>
          )}
        </span>
      ) : (
        <span class="muted small wide">
          {count(total, 'endpoint')}
          {above > 0 && `, ${above} listed above`}
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
