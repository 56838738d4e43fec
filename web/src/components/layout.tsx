import type { ComponentChildren } from 'preact';
import type { Loaded } from '../state/load';

type Children = { children?: ComponentChildren };

/** The head of a screen: where it belongs, its title, what is known at a glance (`children`), and what can be done. */
export const Head = (
  props: Children & { up?: [href: string, title: string]; title: string; actions?: ComponentChildren },
) => (
  <div class="head">
    <div>
      {props.up && (
        <p class="small">
          <a href={props.up[0]}>{props.up[1]}</a>
        </p>
      )}
      <h1>{props.title}</h1>
      {props.children}
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

/** Links between screens that belong together; `current` is the key of the shown one. */
export const Tabs = (props: {
  label: string;
  current: string;
  tabs: readonly [key: string, title: string, href: string][];
}) => (
  <nav class="tabs" aria-label={props.label}>
    {props.tabs.map(([key, title, href]) => (
      <a key={key} href={href} aria-current={key === props.current ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);

/** What was loaded, or that it is being loaded, or why it is not there. */
export function Data<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { value } = of.data;
  if (value !== undefined) return <>{children(value)}</>;
  return of.error.value === null ? <p class="muted">Loading…</p> : <p class="notice bad">{of.error.value}</p>;
}

export type Row = readonly ComponentChildren[] | { wide: ComponentChildren };

const KINDS: Record<string, string> = { '#': 'num', '~': 'wide' };

/**
 * A table that scrolls by itself where the page is narrow. A head that begins with `#` is a column of numbers, one with
 * `~` is left out on narrow pages, an empty one is a column of buttons. A row may also be one wide cell.
 */
export function Table({ label, head, rows }: { label: string; head: readonly string[]; rows: readonly Row[] }) {
  const kind = (index: number) => KINDS[head[index]?.[0] ?? '#'];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((title, index) => (
              <th key={title} class={kind(index)}>
                {title === '' ? <span class="sr">Actions</span> : title.replace(/^[#~]/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {'wide' in row ? (
                <td colSpan={head.length}>{row.wide}</td>
              ) : (
                row.map((cell, index) => (
                  <td key={index} class={kind(index)}>
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

/** Names and values. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.flatMap(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}
  </dl>
);

/** A button that acts. */
export const Button = (
  props: Children & { class?: string; label?: string; disabled?: boolean; act: () => unknown },
) => (
  <button
    type="button"
    class={props.class}
    aria-label={props.label}
    disabled={props.disabled}
    onClick={() => void props.act()}
  >
    {props.children}
  </button>
);
