import { statusPageAt } from '../../api/home';
import type { IncidentStatus, PublicPage } from '../../api/types';
import { publicTitle, type ShownOn } from '../../logic/incident-public';
import { namesText } from '../../logic/incident';
import { clockTime, count } from '../../logic/format';
import { nameOf } from '../../state/overview-store';
import { PlainText } from './plain-text';
import { SaidPill } from './incident-pill';

/** The maximum number of names on a card. */
const NAMED = 5;

interface Said {
  at: string;
  status: IncidentStatus | null;
  text: string;
}

interface CardProps {
  title: string;
  status: IncidentStatus | null;
  names: readonly string[];
  updates: readonly Said[];
}

/** Shows an incident the way a status page does. */
export const PublicCard = ({ title, status, names, updates }: CardProps) => (
  <article class="public-card">
    <p class="title">
      <strong>{title}</strong> {status && <SaidPill status={status} />}
    </p>
    <p class="muted small">{namesText(names, NAMED)}</p>
    {updates.map((said) => (
      <div key={said.at}>
        <p class="small">
          <time dateTime={said.at}>{clockTime(Date.parse(said.at))}</time>
        </p>
        <PlainText>{said.text}</PlainText>
      </div>
    ))}
  </article>
);

interface Props {
  incident: Parameters<typeof publicTitle>[0];
  pages: readonly ShownOn<PublicPage>[];
  status: IncidentStatus | null;
  updates: readonly Said[];
}

/** Shows which status pages would contain the incident. Each card uses the names from its page. */
export function PublicPreview({ incident, pages, status, updates }: Props) {
  const [first] = pages;
  if (!first)
    return (
      <p class="notice warn">
        No public status page shows the affected endpoints, so no one would see this there.{' '}
        <a href="#/status-pages">Status pages</a>
      </p>
    );
  return (
    <div class="public-preview">
      <p class="small">
        Shown on {pages.length > 1 && `${count(pages.length, 'page')}: `}
        {pages.map(({ page, names }, index) => (
          <span key={page.id}>
            {index > 0 && ', '}
            <a href={statusPageAt(page.slug)} target="_blank" rel="noreferrer" title={namesText(names, NAMED)}>
              {page.title ?? nameOf(page.website_id ?? page.slug)}
            </a>
          </span>
        ))}
      </p>
      <PublicCard title={publicTitle(incident, first)} status={status} names={first.names} updates={updates} />
    </div>
  );
}
