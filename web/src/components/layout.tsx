import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Loaded } from '../state/load';
import { pageTitle } from '../state/page-title';
import { arrivals } from '../state/router';
import { Empty } from './empty';

type Children = { children?: ComponentChildren };

/**
 * A page title. When the user arrives, it receives the focus, so that screen readers announce the page. `tab` is the
 * title of the browser tab, if it says more.
 */
export function Title({ class: className, tab, children }: Children & { class?: string; tab?: string | undefined }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const shown = tab ?? ref.current?.textContent ?? '';
    pageTitle.value = shown === '' ? null : shown;
  });
  useEffect(
    () => () => {
      pageTitle.value = null;
    },
    [],
  );
  useEffect(() => {
    if (document.activeElement?.id === 'main') ref.current?.focus({ preventScroll: true });
  }, [arrivals.value]);
  return (
    <h1 class={className} ref={ref} tabIndex={-1}>
      {children}
    </h1>
  );
}

/**
 * The header of a page: a link to its parent, the title, a summary (`children`), and the buttons. `owner` is the
 * configuration document that declares the shown resource.
 */
export const Head = (
  props: Children & {
    parent?: [href: string, title: string];
    title: string;
    tab?: string;
    owner?: string | null | undefined;
    actions?: ComponentChildren;
  },
) => (
  <div class="head">
    <div>
      {props.parent && (
        <p class="small">
          <a href={props.parent[0]}>{props.parent[1]}</a>
        </p>
      )}
      <Title tab={props.tab}>{props.title}</Title>
      {props.children}
      {props.owner && (
        <p class="small muted">
          Declared by <code>{props.owner}</code>. Changes made here show up as drift in its next plan.
        </p>
      )}
    </div>
    <div class="actions">{props.actions}</div>
  </div>
);

export const Section = ({ title, children }: Children & { title: string }) => (
  <section class="section">
    <h2>{title}</h2>
    {children}
  </section>
);

/** Links between sibling pages. `current` is the key of the page that is shown. */
export function Tabs({
  label,
  current,
  tabs,
}: {
  label: string;
  current: string;
  tabs: readonly [key: string, title: string, href: string][];
}) {
  const chosen = useRef<HTMLAnchorElement>(null);
  // Not all tabs fit on a phone. Scrolls the current one to the middle without scrolling the page.
  useEffect(() => {
    const link = chosen.current;
    const row = link?.parentElement;
    if (link && row) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([key, title, href]) => (
        <a
          key={key}
          href={href}
          ref={key === current ? chosen : undefined}
          aria-current={key === current ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Shows the loaded data, a loading state, or the error. */
export function Data<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { value } = of.data;
  if (value !== undefined) return <>{children(value)}</>;
  if (of.isMissing.value) return <Missing />;
  return of.error.value === null ? <Skeleton /> : <p class="notice bad">{of.error.value}</p>;
}

/** Gray bars where content will appear. Screen readers announce that it is loading. */
export const Skeleton = ({ rows = 4 }: { rows?: number }) => (
  <div class="skeleton">
    <p class="sr">Loading…</p>
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);

const Missing = () => (
  <Empty drawing="lost">
    <Title>Not found</Title>
    <p>It was deleted, or the link is incomplete.</p>
    <a href="#/">Back to overview</a>
  </Empty>
);

/** The cells in a row, or one cell that spans all columns. */
export type Row = readonly ComponentChildren[] | { wide: ComponentChildren };

const KINDS: Record<string, string> = { '#': 'num', '~': 'wide' };

/**
 * A table. On narrow pages, each row becomes a block with column names, but a table with number columns scrolls
 * instead. A column head that starts with `#` marks a number column, and `~` marks one that is hidden on narrow pages.
 * An empty head marks a button column. `keys` identify rows that may be reordered while the user types in them.
 */
export function Table(props: {
  label: string;
  head: readonly string[];
  rows: readonly Row[];
  keys?: readonly string[];
}) {
  const { label, head, rows, keys } = props;
  const kind = (index: number) => KINDS[head[index]?.[0] ?? '#'];
  const titles = head.map((title) => title.replace(/^[#~]/, ''));
  const isNumbers = head.some((title) => title.startsWith('#'));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table role="table" class={isNumbers ? undefined : 'blocks'}>
        <thead role="rowgroup">
          <tr role="row">
            {titles.map((title, index) => (
              <th role="columnheader" key={title} class={kind(index)}>
                {title === '' ? <span class="sr">Actions</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, at) => (
            <tr role="row" key={keys?.[at] ?? at}>
              {'wide' in row ? (
                <td role="cell" colSpan={head.length}>
                  {row.wide}
                </td>
              ) : (
                row.map((cell, index) => (
                  <td role="cell" key={index} class={kind(index)} data-title={titles[index] || undefined}>
                    {cell}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
  </dl>
);

/** Shows or hides the details below a row. `of` names the row for screen readers. */
export const DetailsButton = ({ of, isOpen, toggle }: { of: string; isOpen: boolean; toggle: () => void }) => (
  <button type="button" class="plain" aria-expanded={isOpen} aria-label={`Details of ${of}`} onClick={toggle}>
    {isOpen ? 'Hide' : 'Details'}
  </button>
);

/** A button that doesn't submit its form. */
export const Button = (
  props: Children & { class?: string; label?: string; disabled?: boolean; current?: boolean; onClick: () => unknown },
) => (
  <button
    type="button"
    class={props.class}
    aria-label={props.label}
    aria-current={props.current}
    disabled={props.disabled}
    onClick={() => void props.onClick()}
  >
    {props.children}
  </button>
);
