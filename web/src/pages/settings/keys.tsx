import { useSignal } from '@preact/signals';
import { all, post, remove } from '../../api/client';
import type { ApiKey, CreatedApiKey, CreatedInvitation } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { confirmed } from '../../components/dialog';
import { Form } from '../../components/form/form';
import { Button, Data, Section, Table } from '../../components/layout';
import { StatusPill } from '../../components/status';
import { day, time } from '../../logic/format';
import { invitationState } from '../../logic/invitation';
import { now } from '../../state/clock';
import { useLoad } from '../../state/load';
import { session } from '../../state/session';
import { runAction } from '../../state/toast';
import { InvitationMessage, NewInvitation, renew } from './invitation';
import { KeyFields, useKeyDraft } from './key-fields';
import { OpenOnWall } from './open-on-wall';

/** The organization's keys, an invitation for a person, and a form for the key of a program. */
export function Keys() {
  const keys = useLoad('keys', (signal) => all<ApiKey>('/api/v1/api-keys', signal));
  const message = useSignal<CreatedInvitation | null>(null);
  const onInvited = (made: CreatedInvitation | null) => {
    if (made === null) return;
    message.value = made;
    keys.reload();
  };
  return (
    <>
      <Section title="Invite a person">
        <p class="muted lead-in">
          Makes a key, and a message to send with a link that signs in once and shows them the key. Nobody else sees it.
        </p>
        <NewInvitation onInvited={onInvited} />
        {message.value && <InvitationMessage key={message.value.sign_in_token} of={message.value} />}
      </Section>
      <Section title="A key for a program">
        <p class="muted lead-in">The key itself is shown once, for you to copy.</p>
        <NewKey onCreated={keys.reload} />
      </Section>
      <Section title="Keys">
        <Data of={keys}>
          {(list) => (
            <Table
              label="API keys"
              head={['Name', 'Role', '~Created', 'Last used', 'Expires', '']}
              rows={list.map((key) => [
                key.name,
                <span class="role">{key.role}</span>,
                day(key.created_at),
                <LastUse of={key} />,
                <Expiry at={key.expires_at} />,
                <>
                  {key.invitation && (
                    <Button class="plain" label={`New link for ${key.name}`} onClick={() => renew(key).then(onInvited)}>
                      New link
                    </Button>
                  )}
                  <Button class="plain" label={`Revoke ${key.name}`} onClick={() => revoke(key).then(keys.reload)}>
                    Revoke
                  </Button>
                </>,
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

/** An invited person's key has not been used by anybody; until the link ends it still may be. */
function LastUse({ of: key }: { of: ApiKey }) {
  const state = invitationState(key, now.value);
  const until = key.invitation ? day(key.invitation.expires_at) : '';
  if (state === 'open') return <>invited, not yet used, until {until}</>;
  if (state === 'over') return <StatusPill status="paused" word={`link not used, ended ${until}`} />;
  return <>{key.last_used_at === null ? 'never' : time(key.last_used_at, now.value)}</>;
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <>never</>;
  return Date.parse(at) > now.value ? <>{day(at)}</> : <StatusPill status="paused" word={`expired ${day(at)}`} />;
}

function NewKey({ onCreated }: { onCreated: () => void }) {
  const draft = useKeyDraft();
  const made = useSignal<CreatedApiKey | null>(null);
  const create = async () => {
    made.value = null;
    made.value = await post<CreatedApiKey>('/api/v1/api-keys', draft.body());
    draft.name.value = '';
    onCreated();
  };
  return (
    <>
      <Form save={create} action="Create key">
        {({ problem }) => <KeyFields draft={draft} nameLabel="Name of a new key" problem={problem} />}
      </Form>
      {made.value && (
        <div class="notice good invitation" role="status">
          <p>Copy the key “{made.value.name}” now: it is shown this one time.</p>
          <pre tabIndex={0}>{made.value.key}</pre>
          <CopyButton text={made.value.key} label="Copy key" />
        </div>
      )}
    </>
  );
}
