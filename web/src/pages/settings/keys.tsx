import { useSignal } from '@preact/signals';
import { all, post, remove } from '../../api/client';
import type { ApiKey, CreatedApiKey } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { confirmed } from '../../components/dialog';
import { Choice, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button, Data, Section, Table } from '../../components/layout';
import { StatusPill } from '../../components/status';
import { day, time } from '../../logic/format';
import { DATE, endOfDay, EXPIRIES, expiryOf } from '../../logic/key-expiry';
import { now } from '../../state/clock';
import { into, useLoad } from '../../state/load';
import { session } from '../../state/session';
import { runAction } from '../../state/toast';
import { OpenOnWall } from './open-on-wall';

const ROLES = [
  ['read', 'read: look only'],
  ['write', 'write: also create, change, delete and test'],
  ['admin', 'admin: also API keys and the audit log'],
] as const;

/** The organization's keys, and a form for a new one. */
export function Keys() {
  const keys = useLoad('keys', (signal) => all<ApiKey>('/api/v1/api-keys', signal));
  return (
    <>
      <NewKey onCreated={keys.reload} />
      <Section title="Keys">
        <Data of={keys}>
          {(list) => (
            <Table
              label="API keys"
              head={['Name', 'Role', '~Created', 'Last used', 'Expires', '']}
              rows={list.map((key) => [
                key.name,
                key.role,
                day(key.created_at),
                key.last_used_at === null ? 'never' : time(key.last_used_at, now.value),
                <Expiry at={key.expires_at} />,
                <Button class="plain" label={`Revoke ${key.name}`} onClick={() => revoke(key).then(keys.reload)}>
                  Revoke
                </Button>,
              ])}
            />
          )}
        </Data>
      </Section>
      <OpenOnWall />
    </>
  );
}

async function revoke(key: ApiKey): Promise<void> {
  const text =
    key.name === session.peek()?.key_name
      ? `You are signed in with a key of this name: you may be signed out at once, as every client that uses it.`
      : `Clients that use “${key.name}”, and sessions signed in with it, lose access at once.`;
  if (!(await confirmed('Revoke this key', text))) return;
  await runAction(() => remove(`/api/v1/api-keys/${key.id}`), `“${key.name}” is revoked.`);
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>never</>;
  return Date.parse(at) > now.value ? <>{day(at)}</> : <StatusPill status="paused" word={`expired ${day(at)}`} />;
}

function NewKey({ onCreated }: { onCreated: () => void }) {
  const name = useSignal('');
  const role = useSignal('read');
  const expiry = useSignal('never');
  const date = useSignal('');
  const made = useSignal<CreatedApiKey | null>(null);
  const create = async () => {
    made.value = null;
    const expires_at = expiry.value === DATE ? endOfDay(date.value) : expiryOf(expiry.value, Date.now());
    made.value = await post<CreatedApiKey>('/api/v1/api-keys', { name: name.value, role: role.value, expires_at });
    name.value = '';
    onCreated();
  };
  return (
    <>
      <Form save={create} action="Create key">
        {({ problem }) => (
          <div class="form-row">
            <Text label="Name of a new key" error={problem('/name')} value={name.value} set={into(name)} />
            <Choice label="Role" value={role.value} set={into(role)} options={ROLES} />
            <Choice
              label="Expires"
              error={expiry.value === DATE ? undefined : problem('/expires_at')}
              value={expiry.value}
              set={into(expiry)}
              options={EXPIRIES}
            />
            {expiry.value === DATE && (
              <Text label="Last day" type="date" error={problem('/expires_at')} value={date.value} set={into(date)} />
            )}
          </div>
        )}
      </Form>
      {made.value && (
        <div class="notice good" role="status">
          <p>Copy the key “{made.value.name}” now: it is shown this one time.</p>
          <pre tabIndex={0}>{made.value.key}</pre>
          <CopyButton text={made.value.key} label="Copy key" />
        </div>
      )}
    </>
  );
}
