import type { ComponentChildren } from 'preact';
import { Head, Tabs } from '../../components/layout';
import { may, session } from '../../state/session';
import { Account } from './account';
import { AuditLog } from './audit-log';
import { Configuration } from './configuration';
import { DeletedEndpoints } from './deleted';
import { Keys } from './keys';
import { OrganizationFacts } from './organization';
import { People } from './people';
import { Probes } from './probes';
import { SystemState } from './system';

interface Tab {
  key: string;
  title: string;
  isShown: () => boolean;
  show: () => ComponentChildren;
}

const always = () => true;

const TABS: readonly Tab[] = [
  { key: 'people', title: 'Members', isShown: may.admin, show: () => <People /> },
  { key: 'account', title: 'My account', isShown: () => session.value?.person != null, show: () => <Account /> },
  { key: 'keys', title: 'API keys', isShown: may.admin, show: () => <Keys /> },
  { key: 'probes', title: 'Probes', isShown: always, show: () => <Probes /> },
  { key: 'organization', title: 'Organization', isShown: always, show: () => <OrganizationFacts /> },
  { key: 'configuration', title: 'Import and export', isShown: always, show: () => <Configuration /> },
  { key: 'deleted', title: 'Deleted endpoints', isShown: always, show: () => <DeletedEndpoints /> },
  { key: 'audit-log', title: 'Audit log', isShown: may.admin, show: () => <AuditLog /> },
  {
    key: 'system',
    title: 'System',
    isShown: () => may.admin() && session.value?.is_default === true,
    show: () => <SystemState />,
  },
];

/**
 * The settings: members, account, API keys, probes, organization and limits, configuration, audit log, and system
 * state.
 */
export function SettingsPage({ tab }: { tab: string }) {
  const tabs = TABS.filter(({ isShown }) => isShown());
  const current = tabs.find(({ key }) => key === tab) ?? tabs[0];
  const { organization, person, key_name, role } = session.value ?? {};
  return (
    <>
      <Head title="Settings">
        <p class="muted">
          Organization {organization?.name}, signed in {person ? `as ${person.name}` : `with the key “${key_name}”`} (
          {role})
        </p>
      </Head>
      <Tabs
        label="Settings"
        current={current?.key ?? ''}
        tabs={tabs.map(({ key, title }) => [key, title, `#/settings/${key}`])}
      />
      {tab !== '' && tab !== current?.key && TABS.some(({ key }) => key === tab) && (
        <p class="notice warn">
          {tab === 'account'
            ? 'An API key has no account. Sign in as a user.'
            : 'You need the admin role to open this page.'}
        </p>
      )}
      {current?.show()}
    </>
  );
}
