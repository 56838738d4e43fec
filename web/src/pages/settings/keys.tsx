import { useSignal } from '@preact/signals';
import { all, post, remove } from '../../api/client';
import { home } from '../../api/home';
import type { ApiKey, CreatedApiKey } from '../../api/types';
import { confirmed } from '../../components/dialog';
import { Choice, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button, Data, Section, Table } from '../../components/layout';
import { StatusPill } from '../../components/status';
import { commandsWith } from '../../logic/commands';
import { day, time } from '../../logic/format';
import { DATE, endOfDay, EXPIRIES, expiryOf } from '../../logic/key-expiry';
import { ROLES } from '../../logic/people';
import { now } from '../../state/clock';
import { into, useLoad } from '../../state/load';
import { session } from '../../state/session';
import { runAction } from '../../state/toast';
import { OpenOnWall } from './open-on-wall';
import { ShownOnce } from './shown-once';

/** Lists the organization's API keys, with a form for a new one. */
export function Keys() {
  const keys = useLoad('keys', (signal) => all<ApiKey>('/api/v1/api-keys', signal));
  return (
    <>
      <Section title="New key">
        <NewKey onCreated={keys.reload} />
      </Section>
      <Section title="Keys">
        <Data of={keys}>
          {(list) => (
            <Table
              label="API keys"
              head={['Name', 'Role', 'Created by', '~Created', 'Last used', 'Expires', '']}
              rows={list.map((key) => [
                key.name,
                <span class="role">{key.role}</span>,
                key.created_by ?? '–',
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
      ? `You are signed in with a key of this name. You and every client that uses it may be signed out at once.`
      : `Clients that use “${key.name}”, and sessions signed in with it, lose access at once.`;
  if (!(await confirmed('Revoke this key', text))) return;
  await runAction(() => remove(`/api/v1/api-keys/${key.id}`), `“${key.name}” is revoked.`);
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>never</>;
  return Date.parse(at) > now.value ? <>{day(at)}</> : <StatusPill status="paused" word={`expired ${day(at)}`} />;
}

function NewKey({ onCreated }: { onCreated: () => void }) {
  const [name, role, expiry, date] = [useSignal(''), useSignal('read'), useSignal('never'), useSignal('')];
  const made = useSignal<CreatedApiKey | null>(null);
  const create = async () => {
    made.value = null;
    made.value = await post<CreatedApiKey>('/api/v1/api-keys', {
      name: name.value,
      role: role.value,
      expires_at: expiry.value === DATE ? endOfDay(date.value) : expiryOf(expiry.value, Date.now()),
    });
    name.value = '';
    onCreated();
  };
  return (
    <>
      <Form save={create} action="Create key">
        {({ problem }) => (
          <>
            <p class="muted">
              Keys belong to the organization, not to the person who creates them. The key is shown only once, for you
              to copy.
            </p>
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
          </>
        )}
      </Form>
      {made.value && (
        <>
          <ShownOnce key={made.value.id} text={made.value.key} copy="Copy key">
            Copy the key “{made.value.name}” now. It is shown only once.
          </ShownOnce>
          <details class="below">
            <summary>Use it with the command line</summary>
            <pre tabIndex={0}>{commandsWith(made.value.key, home())}</pre>
          </details>
        </>
      )}
    </>
  );
}
