import { signal } from '@preact/signals';
import { all, get, put } from '../api/client';
import type { PublicPage, Website } from '../api/types';
import { Check, Text } from '../components/form/field';
import { Form } from '../components/form/form';
import { Share } from '../components/check/share';
import { Button, Data, Head, Section, Table } from '../components/layout';
import { deleteWebsite } from '../components/overview/website-dialog';
import { StatusPill } from '../components/status';
import { age, count, ms } from '../logic/format';
import { ofWebsite, shownStatus } from '../logic/overview-order';
import { tagsIn } from '../logic/maintenance';
import { now } from '../state/clock';
import { forget, useDraft } from '../state/drafts';
import { patch, useLoad } from '../state/load';
import { itemOf, items, refreshSoon, refreshWebsites } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';
import { editStatusPage } from '../state/website-page';
import { showToast } from '../state/toast';

/** Settings of a website, and where its public status page is. */
export function WebsitePage({ id }: { id: string }) {
  const path = `/api/v1/websites/${id}`;
  const website = useLoad(path, (signal) => get<Website>(path, signal));
  const destroy = async (website: Website) => {
    if (!(await deleteWebsite(website))) return;
    forget(`/websites/${id}`);
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
                    Add an endpoint
                  </a>
                  <Button class="danger" onClick={() => destroy(value)}>
                    Delete
                  </Button>
                </>
              )
            }
          >
            <p>
              <StatusPill status={value.status} />{' '}
              <a href={`#/?website=${id}`}>{count(value.endpoint_count, 'endpoint')}</a> ·{' '}
              <span class="mono">{value.url}</span>
            </p>
          </Head>
          <Endpoints of={id} />
          <div class="columns forms section">
            <Section title="Website">
              <WebsiteForm path={path} start={value} onSaved={website.reload} />
            </Section>
            <Section title="Public status page">
              <StatusPageLink id={id} />
            </Section>
          </div>
        </>
      )}
    </Data>
  );
}

/** The endpoints of the website, the worst first: how each is, and how it was. */
function Endpoints({ of }: { of: string }) {
  itemOf('');
  const shown = ofWebsite(items.value ?? [], of);
  if (shown.length === 0) return null;
  return (
    <Table
      label="Endpoints of the website"
      head={['State', 'Endpoint', '#24 h', '#30 d', '#90 d', '#p95', '#Checked']}
      rows={shown.map((item) => [
        <StatusPill status={shownStatus(item)} />,
        <a href={`#/endpoints/${item.id}`}>{item.name}</a>,
        <Share of={item.uptime_24h} watched={item.watched_24h} coverage={item.coverage_24h} window="24 hours" />,
        <Share of={item.uptime_30d} watched={item.watched_30d} window="30 days" />,
        <Share of={item.uptime_90d} watched={item.watched_90d} window="90 days" />,
        ms(item.p95_ms),
        age(item.last_checked_at, now.value),
      ])}
    />
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
            hint="Of all its endpoints; separated by spaces or commas."
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

/** Where the website's own page is, and whether anybody sees it. */
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
                  <a class="mono" href={page.path}>
                    {page.path}
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
              A page that shows everybody who knows its address how this website is: its endpoints by name, their state,
              recent days and outages.
            </p>
            {may.write() && (
              <p class="actions">
                <Button onClick={() => editStatusPage(id)}>Make a status page</Button>
              </p>
            )}
          </>
        );
      }}
    </Data>
  );
}
