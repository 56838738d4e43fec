import { nonEmptyLines } from '../../../src/platform/text/non-empty-lines';
import { readableAccent } from '../../../src/status-page/render/accent';
import type { PublicPage, Website } from '../api/types';
import { StatusPill } from '../components/status';
import { ofWebsite, shownStatus } from '../logic/overview-order';
import { itemOf, items } from '../state/overview-store';

interface Props {
  title: string;
  description: string;
  /** The text as typed. */
  accent: string;
  /**
   * The logo's URL. `chosen` is a file that isn't saved yet. The content security policy doesn't allow the page to show
   * it.
   */
  logo: string | null;
  groups: PublicPage['groups'];
  /** The website that this page is for, if the page has no groups. */
  websiteId: string | null;
  websites: readonly Website[];
}

/** Whether a string is a color such as `#7a3ff2`. */
export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** A preview of the page while it is being edited. Days and outages are shown only on the page itself. */
export function PagePreview({ title, description, accent, logo, groups, websiteId, websites }: Props) {
  itemOf('');
  const all = items.value ?? [];
  const shown = groups.map(({ name, endpoints, websites: whole }) => ({
    name,
    list: [
      ...endpoints.flatMap((id) => all.find((item) => item.id === id) ?? []),
      ...whole.flatMap((id) => ofWebsite(all, id)),
    ],
  }));
  const own = websiteId === null ? [] : [{ name: '', list: ofWebsite(all, websiteId) }];
  const filled = shown.some(({ list }) => list.length > 0) ? shown : own;
  const colour = isColour(accent) ? readableAccent(accent) : null;
  return (
    <>
      <p class="muted small">This is the current state. The page itself also shows 90 days of each and the outages.</p>
      <article
        class="page-preview"
        aria-label="Preview of the page"
        style={colour ? { '--stripe': `light-dark(${colour.light}, ${colour.dark})` } : undefined}
      >
        <header>
          {logo === 'chosen' && <span class="chip">Your logo</span>}
          {logo !== null && logo !== 'chosen' && <img src={logo} alt="" />}
          <p class="title">{title || websites.find(({ id }) => id === websiteId)?.name || 'Without a title'}</p>
        </header>
        {nonEmptyLines(description).map((text) => (
          <p key={text}>{text}</p>
        ))}
        {filled.map(({ name, list }, index) => (
          <div key={index}>
            {name !== '' && list.length > 0 && <p class="heading">{name}</p>}
            <ul>
              {list.map((item) => (
                <li key={item.id}>
                  <span>{item.name}</span>
                  <StatusPill status={shownStatus(item)} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {filled.every(({ list }) => list.length === 0) && <p class="muted">Nothing is monitored yet.</p>}
      </article>
    </>
  );
}
