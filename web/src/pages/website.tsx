import { signal } from '@preact/signals';
import { all, get, put } from '../api/client';
import { statusPageAt } from '../api/home';
import type { Alert, PublicPage, Website, WebsiteHistory, WebsiteOutage } from '../api/types';
import { contactName } from '../components/alert/alert-name';
import { Calendar } from '../components/check/calendar';
import { Share } from '../components/check/share';
import { Outages, reasonOf } from '../components/endpoint/outages';
import { Check, Text } from '../components/form/field';
import { Form } from '../components/form/form';
import { Button, Data, Head, Section, Skeleton } from '../components/layout';
import { Rows } from '../components/overview/rows';
import { deleteWebsite } from '../components/overview/website-dialog';
import { escalationOf, escalationText, unlikeText } from '../logic/escalation';
import { count, day } from '../logic/format';
import { headlineOf } from '../logic/overview-headline';
import { ofWebsite } from '../logic/overview-order';
import { tagsIn } from '../logic/maintenance';
import { firstDay, outagesSince, uptimeSince, watchedSince, WEBSITE_WINDOWS } from '../logic/website-history';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { forget, useDraft } from '../state/drafts';
import { patch, useEvery, useLoad } from '../state/load';
import { itemOf, items, refreshSoon, refreshWebsites } from '../state/overview-store';
import { address, go, route, setQuery } from '../state/router';
import { may } from '../state/session';
import { editStatusPage } from '../state/website-page';
import { showToast } from '../state/toast';
import '../styles/website.css';

/** The page for a website: its endpoints, their days and outages, who is notified, and its public page. */
export function WebsitePage({ id }: { id: string }) {
  const path = `/api/v1/websites/${id}`;
  const website = useLoad(path, (signal) => get<Website>(path, signal));
  // Stored in the URL, so that unsaved changes are shown when the user returns.
  const isEditing = route.value.query.has('edit');
  const destroy = async (website: Website) => {
    if (!(await deleteWebsite(website))) return;
    forget(address.peek());
    go('/');
  };
  return (
    <Data of={website}>
      {(value) => (
        <>
          <Head
            parent={['#/', 'Overview']}
            title={value.name}
            owner={value.owner}
            actions={
              may.write() && (
                <>
                  <a class="button primary" href={`#/new?website_id=${id}`}>
                    Add endpoint
                  </a>
                  <button
                    type="button"
                    aria-expanded={isEditing}
                    onClick={() => setQuery({ edit: isEditing ? null : '1' })}
                  >
                    Edit
                  </button>
                  <Button class="danger" onClick={() => destroy(value)}>
                    Delete
                  </Button>
                </>
              )
            }
          >
            <p class="muted">
              <a href={`#/?website=${id}`}>{count(value.endpoint_count, 'endpoint')}</a> ·{' '}
              <span class="mono">{value.url}</span> {value.tags.map((tag) => [<span class="chip">{tag}</span>, ' '])}
            </p>
          </Head>
          {isEditing && (
            <div class="card">
              <WebsiteForm path={path} start={value} onSaved={website.reload} />
            </div>
          )}
          <State of={value} />
          <History of={value} path={path} />
        </>
      )}
    </Data>
  );
}

/** Describes all endpoints in a sentence, then lists them, worst first. */
function State({ of }: { of: Website }) {
  itemOf('');
  const shown = ofWebsite(items.value ?? [], of.id);
  if (items.value === null) return <Skeleton />;
  if (shown.length === 0) return <p class="empty">No endpoints yet. Checks of this website will appear here.</p>;
  const { status, before, item, after } = headlineOf(shown, now.value);
  return (
    <>
      <section class={`headline ${status}`} aria-label="State of the website">
        <p>
          {before}
          {item && <a href={`#/endpoints/${item.id}`}>{item.name}</a>}
          {after}
        </p>
      </section>
      <Rows lines={shown.map((each) => ({ item: each, isMixed: false }))} current={null} />
    </>
  );
}

function History({ of, path }: { of: Website; path: string }) {
  const history = useLoad(`${path}/history`, (signal) => get<WebsiteHistory>(`${path}/history`, signal));
  useEvery(60, history.reload);
  return (
    <Data of={history}>
      {({ since, days, outages }) => {
        const [first] = days;
        return (
          <>
            <dl class="tiles below">
              {WEBSITE_WINDOWS.map(([title, length]) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>
                    <Share
                      of={uptimeSince(days, firstDay(length, now.value), since)}
                      watched={watchedSince(days, firstDay(length, now.value), length)}
                      window={title.toLowerCase()}
                    />
                  </dd>
                </div>
              ))}
              <div>
                <dt>Outages, 30 days</dt>
                <dd>{outagesSince(outages, firstDay(30, now.value))}</dd>
              </div>
            </dl>
            <p class="muted small below">
              {first
                ? `Successful checks of all its endpoints, by UTC day. The first are from ${day(`${first.date}T12:00:00Z`)}.`
                : 'Its uptime will appear here after the first check.'}
            </p>
            {first && (
              <Section title="Last 12 months">
                <Calendar name={of.name} days={days} nowMs={now.value} />
              </Section>
            )}
            <div class="columns">
              <Section title="Outages">
                <Outages outages={outages} describe={describeOutage} />
              </Section>
              <div>
                <Section title="Notified contacts">
                  <WhoIsTold of={of} />
                </Section>
                <Section title="Public status page">
                  <StatusPageLink id={of.id} />
                </Section>
              </div>
            </div>
          </>
        );
      }}
    </Data>
  );
}

const describeOutage = (outage: WebsiteOutage) => (
  <div>
    <a href={`#/endpoints/${outage.endpoint_id}`}>{outage.endpoint_name}</a>{' '}
    {outage.planned && <span class="chip">Planned</span>}
    <p class="muted small">{reasonOf(outage)}</p>
  </div>
);

function WhoIsTold({ of: { id } }: { of: Website }) {
  const path = `/api/v1/alerts?website_id=${id}`;
  const alerts = useLoad(path, (signal) => all<Alert>(path, signal));
  const contacts = useContacts();
  return (
    <Data of={alerts}>
      {(list) => {
        const others = unlikeText(
          list,
          ofWebsite(items.value ?? [], id).map((item) => item.id),
        );
        const said = escalationText(escalationOf(list), (contact) => contactName(contact, contacts.data.value));
        return (
          <>
            <p>{said === '' ? <span class="muted">No contact is notified when it is down.</span> : `${said}.`}</p>
            {others && <p class="muted small">{others}</p>}
            <p class="actions below">
              <a class="button" href={`#/escalation/${id}`}>
                Escalation
              </a>
              <a class="button" href={`#/alerts?of=${id}`}>
                {count(list.length, 'alert rule')}
              </a>
            </p>
          </>
        );
      }}
    </Data>
  );
}

interface Props<T> {
  path: string;
  start: T;
  onSaved: () => void;
}

function WebsiteForm({ path, start, onSaved }: Props<Website>) {
  const { draft, opened, saved } = useDraft(`unsaved changes to ${start.name}`, () => ({
    draft: signal({ name: start.name, enabled: start.enabled, tags: start.tags.join(', ') }),
    opened: signal(start),
  }));
  const set = patch(draft);
  const save = async () => {
    await put(path, { ...draft.value, tags: tagsIn(draft.value.tags) }, opened.value);
    saved();
    showToast('The website is saved.');
    onSaved();
    refreshSoon();
    void refreshWebsites();
  };
  return (
    <Form save={save} action="Save">
      {({ problem }) => (
        <>
          <Text label="Name" error={problem('/name')} value={draft.value.name} set={(name) => set({ name })} />
          <Text
            label="Tags (optional)"
            hint="For all its endpoints. Separated by spaces or commas."
            error={problem('/tags')}
            placeholder="prod, team:web"
            value={draft.value.tags}
            set={(tags) => set({ tags })}
          />
          <Check
            label="Enabled (off pauses every endpoint)"
            value={draft.value.enabled}
            disabled={!may.write()}
            set={(enabled) => set({ enabled })}
          />
        </>
      )}
    </Form>
  );
}

/** Links to the website's status page, and shows whether it is public. */
function StatusPageLink({ id }: { id: string }) {
  const pages = useLoad('status-pages', (signal) => all<PublicPage>('/api/v1/status-pages', signal));
  return (
    <Data of={pages}>
      {(list) => {
        const page = list.find(({ website_id }) => website_id === id);
        if (page)
          return (
            <p>
              {page.enabled ? 'Public at ' : 'Not public: '}
              {page.enabled && (
                <>
                  <a class="mono" href={statusPageAt(page.slug)}>
                    {statusPageAt(page.slug)}
                  </a>
                  {' · '}
                </>
              )}
              <a href={`#/status-pages/${page.id}`}>Edit the status page</a>
            </p>
          );
        return (
          <>
            <p class="muted small">
              A page that shows the state of this website to anyone with the link: its endpoints by name, their state,
              recent days, and outages.
            </p>
            {may.write() && (
              <p class="actions below">
                <Button onClick={() => editStatusPage(id)}>Create a status page</Button>
              </p>
            )}
          </>
        );
      }}
    </Data>
  );
}
