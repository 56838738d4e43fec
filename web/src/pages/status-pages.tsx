import { all } from '../api/client';
import { statusPageAt } from '../api/home';
import type { PublicPage } from '../api/types';
import { Empty } from '../components/empty';
import { Icon } from '../components/icons';
import { Data, Head, Table } from '../components/layout';
import { present } from '../state/deletion';
import { useLoad } from '../state/load';
import { may } from '../state/session';

/** Lists every public page, whether for a website or for selected endpoints. */
export function StatusPagesPage() {
  const pages = useLoad('status-pages', (signal) => all<PublicPage>('/api/v1/status-pages', signal));
  return (
    <>
      <Head
        title="Status pages"
        actions={
          may.write() && (
            <a class="button primary" href="#/status-pages/new">
              <Icon name="plus" /> New status page
            </a>
          )
        }
      />
      <Data of={pages}>
        {(found) => {
          const list = present(found);
          return list.length === 0 ? (
            <Empty drawing="page">
              <h2>No status pages yet</h2>
              <p>
                A status page shows your users what works. It lists any endpoints and websites, in groups, under its own
                URL or domain.
              </p>
            </Empty>
          ) : (
            <Table
              label="Status pages"
              head={['Title', 'Visibility', '~URL', '~Domain']}
              rows={list.map((page) => [
                <a href={`#/status-pages/${page.id}`}>{titleOf(page)}</a>,
                page.enabled ? 'public' : 'not public',
                page.enabled ? (
                  <a class="mono" href={statusPageAt(page.slug)}>
                    {statusPageAt(page.slug)}
                  </a>
                ) : (
                  <span class="mono">{statusPageAt(page.slug)}</span>
                ),
                page.domain,
              ])}
            />
          );
        }}
      </Data>
    </>
  );
}

/** A website's page may have no title. */
export const titleOf = (page: PublicPage): string => page.title ?? page.slug;
