import { post } from '../../api/client';
import type { ApiKey, CreatedInvitation } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { confirmed } from '../../components/dialog';
import { Form } from '../../components/form/form';
import { invitationText } from '../../logic/invitation';
import { session } from '../../state/session';
import { runAction } from '../../state/toast';
import { KeyFields, useKeyDraft } from './key-fields';

/** A form that invites a person. */
export function NewInvitation({ onInvited }: { onInvited: (made: CreatedInvitation) => void }) {
  const draft = useKeyDraft();
  const invite = async () => {
    onInvited(await post<CreatedInvitation>('/api/v1/api-keys/invite', draft.body()));
    draft.name.value = '';
  };
  return (
    <Form save={invite} action="Invite">
      {({ problem }) => <KeyFields draft={draft} nameLabel="Name of the person" problem={problem} />}
    </Form>
  );
}

/** Makes another link for an invited key; asks first when the person has a key that this would replace. */
export async function renew(key: ApiKey): Promise<CreatedInvitation | null> {
  const text = `“${key.name}” has used the link before. Whoever uses the new one gets another key; the key they have now and their sessions end then.`;
  const isAccepted = key.invitation?.accepted_at != null;
  if (isAccepted && !(await confirmed('Make a new link', text))) return null;
  let made: CreatedInvitation | null = null;
  await runAction(async () => {
    made = await post<CreatedInvitation>(`/api/v1/api-keys/${key.id}/invite`);
  });
  return made;
}

/** What to send to the person: shown once, as the link in it is. */
export function InvitationMessage({ of: { name, role, invitation, sign_in_token } }: { of: CreatedInvitation }) {
  const text = invitationText({
    name,
    role,
    organization: session.value?.organization.name ?? '',
    address: location.origin + location.pathname,
    token: sign_in_token,
    until: invitation?.expires_at ?? '',
  });
  return (
    <div class="notice good invitation" role="status">
      <p>
        Send this to <strong>{name}</strong>, and to nobody else: whoever opens the link first gets the key. It is shown
        this one time.
      </p>
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label="Copy message" />
    </div>
  );
}
