import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { all, get, post, remove } from '../api/client';
import type { ApiKey, CreatedApiKey, Organization, System as SystemState, Website } from '../api/types';
import { CopyButton } from '../components/copy';
import { confirmed } from '../components/dialog';
import { Choice, Text } from '../components/form/field';
import { Form } from '../components/form/form';
import { Button, Data, Facts, Head, Section, Table, Tabs } from '../components/layout';
import { StatusPill } from '../components/status';
import { bytes, count, day, duration, time } from '../logic/format';
import { now } from '../state/clock';
import { into, useEvery, useLoad } from '../state/load';
import { may, session } from '../state/session';
import { runAction } from '../state/toast';

/** API keys, websites, limits, and the state of the installation. */
export function SettingsPage({ tab }: { tab: string }) {
  const keys = [
    ...(may.admin() ? ['keys'] : []),
    'websites',
    'limits',
    ...(may.admin() && session.value?.is_default ? ['system'] : []),
  ];
  const current = keys.includes(tab) ? tab : (keys[0] ?? '');
  const titles: Record<string, string> = { keys: 'API keys', websites: 'Websites', limits: 'Limits', system: 'System' };
  const tabs: Record<string, () => ComponentChildren> = {
    keys: () => <Keys />,
    websites: () => <Websites />,
    limits: () => <Limits />,
    system: () => <System />,
  };
  return (
    <>
      <Head title="Settings">
        <p class="muted">
          Organization {session.value?.organization.name}, signed in with the key “{session.value?.key_name}” (
          {session.value?.role})
        </p>
      </Head>
      <Tabs
        label="Settings"
        current={current}
        tabs={keys.map((key) => [key, titles[key] ?? key, `#/settings/${key}`])}
      />
      {tabs[current]?.()}
    </>
  );
}

function Keys() {
  const keys = useLoad('keys', (signal) => all<ApiKey>('/api/v1/api-keys', signal));
  const name = useSignal('');
  const role = useSignal('read');
  const made = useSignal<CreatedApiKey | null>(null);
  const create = async () => {
    made.value = await post<CreatedApiKey>('/api/v1/api-keys', { name: name.value, role: role.value });
    name.value = '';
    keys.reload();
  };
  const revoke = async (key: ApiKey) => {
    const text = `Clients that use “${key.name}”, and sessions signed in with it, lose access at once.`;
    if (!(await confirmed('Revoke this key', text))) return;
    await runAction(() => remove(`/api/v1/api-keys/${key.id}`), `“${key.name}” is revoked.`);
    keys.reload();
  };
  return (
    <>
      <Form save={create} action="Create key">
        {({ problem }) => (
          <div class="form-row">
            <Text label="Name of a new key" error={problem('/name')} value={name.value} set={into(name)} />
            <Choice
              label="Role"
              value={role.value}
              set={into(role)}
              options={[
                ['read', 'read: look only'],
                ['write', 'write: also create, change, delete and test'],
                ['admin', 'admin: also API keys'],
              ]}
            />
          </div>
        )}
      </Form>
      {made.value && (
        <div class="notice good" role="status">
          <p>This is the only time “{made.value.name}” is shown:</p>
          <pre tabIndex={0}>{made.value.key}</pre>
          <CopyButton text={made.value.key} label="Copy key" />
        </div>
      )}
      <Section title="Keys">
        <Data of={keys}>
          {(list) => (
            <Table
              label="API keys"
              head={['Name', 'Role', '~Created', 'Last used', '~Expires', '']}
              rows={list.map((key) => [
                key.name,
                key.role,
                day(key.created_at),
                key.last_used_at === null ? 'never' : time(key.last_used_at, now.value),
                key.expires_at === null ? 'never' : day(key.expires_at),
                <Button class="plain" label={`Revoke ${key.name}`} onClick={() => revoke(key)}>
                  Revoke
                </Button>,
              ])}
            />
          )}
        </Data>
      </Section>
    </>
  );
}

function Websites() {
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal));
  return (
    <Data of={websites}>
      {(list) => (
        <Table
          label="Websites"
          head={['Status', 'Name', '~URL', '#Endpoints']}
          rows={list.map((website) => [
            <StatusPill status={website.status} />,
            <a href={`#/websites/${website.id}`}>{website.name}</a>,
            <span class="mono">{website.url}</span>,
            website.endpoint_count,
          ])}
        />
      )}
    </Data>
  );
}

const LIMITS: readonly [keyof Organization['quotas'], string][] = [
  ['websites', 'Websites'],
  ['endpoints', 'Endpoints'],
  ['checks_per_second', 'Checks per second that endpoints ask for'],
  ['alerts', 'Alerts'],
  ['alerts_per_endpoint', 'Alerts of one endpoint'],
  ['api_keys', 'API keys'],
  ['status_pages', 'Status pages'],
  ['streams', 'Live streams at once'],
];

/** What the organization may have, and has. */
function Limits() {
  const organization = useLoad('organization', (signal) => get<Organization>('/api/v1/organization', signal));
  return (
    <Data of={organization}>
      {({ quotas }) => (
        <Table
          label="Limits"
          head={['What', '#In use', '#Limit']}
          rows={LIMITS.map(([name, title]) => [
            title,
            quotas[name].used?.toLocaleString('en') ?? '–',
            quotas[name].limit?.toLocaleString('en') ?? 'none',
          ])}
        />
      )}
    </Data>
  );
}

/** A value as it is, or marked as a problem. */
const judged = (isBad: boolean, text: string) => (isBad ? <StatusPill status="down" word={text} /> : text);

function System() {
  const system = useLoad('system', (signal) => get<SystemState>('/api/v1/system', signal));
  useEvery(5, system.reload);
  return (
    <Data of={system}>
      {({ scheduler, outbox, database, retention, ...process }) => {
        const lag = scheduler.lag_ms / 1000;
        const oldest = outbox.oldest_pending_age_seconds ?? 0;
        return (
          <>
            <Facts
              of={[
                ['Scheduler', judged(lag > 5, lag < 1 ? 'on time' : `${duration(lag)} behind`)],
                ['Scheduled endpoints', scheduler.active_endpoints.toLocaleString('en')],
                ['Pending deliveries', outbox.pending.toLocaleString('en')],
                [
                  'Oldest pending delivery',
                  judged(oldest > 300, outbox.pending === 0 ? 'none' : `${duration(oldest)} old`),
                ],
                ['Failed deliveries', judged(outbox.failed > 0, outbox.failed.toLocaleString('en'))],
                [
                  'Database',
                  `${database.kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL'} ${database.version}, ${bytes(database.size_bytes)}`,
                ],
                ['Memory', bytes(process.memory_bytes)],
                [
                  'Version',
                  `${process.version}, role ${process.role}, up ${duration((now.value - Date.parse(process.started_at)) / 1000)}`,
                ],
                ['Single checks are kept', count(retention.raw_days, 'day')],
                ['Hourly and daily stats are kept', count(retention.rollup_days, 'day')],
              ]}
            />
            <p class="section muted small">
              Retention is set where the service is started: RAW_RETENTION_DAYS and ROLLUP_RETENTION_DAYS. See also{' '}
              <a href="/metrics">/metrics</a> and <a href="/health/ready">/health/ready</a>.
            </p>
          </>
        );
      }}
    </Data>
  );
}
