import { useSignal } from '@preact/signals';
import { get, put, remove } from '../api/client';
import type { StatusPageSettings, Website } from '../api/types';
import { CopyButton } from '../components/copy';
import { confirmed } from '../components/dialog';
import { Check, Text } from '../components/form/field';
import { Form } from '../components/form/form';
import { Button, Data, Head, Section } from '../components/layout';
import { StatusPill } from '../components/status';
import { count } from '../logic/format';
import { patch, useLoad } from '../state/load';
import { refreshSoon } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';
import { runAction, showToast } from '../state/toast';

/** Settings of a website and of its public status page. */
export function WebsitePage({ id }: { id: string }) {
  const path = `/api/v1/websites/${id}`;
  const website = useLoad(path, (signal) => get<Website>(path, signal));
  const statusPage = useLoad(`${path}/status-page`, (signal) => get<StatusPageSettings>(`${path}/status-page`, signal));
  const destroy = async ({ name, endpoint_count }: Website) => {
    const text = `“${name}” goes for good, with ${count(endpoint_count, 'endpoint')}, their alerts and their whole history.`;
    if (!(await confirmed('Delete this website', text))) return;
    if (!(await runAction(() => remove(path), `${name} is deleted.`))) return;
    refreshSoon();
    go('/');
  };
  return (
    <Data of={website}>
      {(value) => (
        <>
          <Head
            parent={['#/settings/websites', 'Websites']}
            title={value.name}
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
          <div class="columns forms">
            <Section title="Website">
              <WebsiteForm path={path} start={value} onSaved={website.reload} />
            </Section>
            <Section title="Public status page">
              <Data of={statusPage}>
                {(page) => (
                  <StatusPageForm
                    key={page.slug}
                    path={`${path}/status-page`}
                    start={page}
                    onSaved={statusPage.reload}
                  />
                )}
              </Data>
            </Section>
          </div>
        </>
      )}
    </Data>
  );
}

interface Props<T> {
  path: string;
  start: T;
  onSaved: () => void;
}

function WebsiteForm({ path, start, onSaved }: Props<Website>) {
  const draft = useSignal({ name: start.name, enabled: start.enabled });
  const set = patch(draft);
  const save = async () => {
    await put(path, draft.value);
    showToast('The website is saved.');
    onSaved();
    refreshSoon();
  };
  return (
    <Form save={save} action="Save">
      {({ problem }) => (
        <>
          <Text label="Name" error={problem('/name')} value={draft.value.name} set={(name) => set({ name })} />
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

function StatusPageForm({ path, start, onSaved }: Props<StatusPageSettings>) {
  const draft = useSignal({ enabled: start.enabled, slug: start.slug ?? '' });
  const set = patch(draft);
  const save = async () => {
    const { enabled, slug } = draft.value;
    await put(path, { enabled, ...(slug !== '' && { slug }) });
    showToast(enabled ? 'The status page is public.' : 'The status page is off.');
    onSaved();
  };
  const url = `${location.origin}${start.path ?? ''}`;
  return (
    <>
      <p class="muted small">
        Shows the names of the endpoints, their state, 90 days and outages to everybody who knows the address. No URL,
        no error text.
      </p>
      <Form save={save} action="Save">
        {({ problem }) => (
          <>
            <Check
              label="Public"
              value={draft.value.enabled}
              disabled={!may.write()}
              set={(enabled) => set({ enabled })}
            />
            <Text
              label="Address"
              hint="Empty: made from the name."
              error={problem('/slug')}
              placeholder="example-shop"
              value={draft.value.slug}
              set={(slug) => set({ slug })}
            />
          </>
        )}
      </Form>
      {start.enabled && start.path !== null && (
        <p class="actions">
          <a class="button" href={start.path}>
            Open
          </a>
          <CopyButton label="Copy badge" text={`[![status](${url}.svg)](${url})`} />
        </p>
      )}
    </>
  );
}
