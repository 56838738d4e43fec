import { type Signal, useSignal } from '@preact/signals';
import { all, query, remove } from '../../api/client';
import type { ApiKey, Invitation } from '../../api/types';
import { Dialog } from '../../components/dialog';
import { Check } from '../../components/form/field';
import { Button, Data } from '../../components/layout';
import { time } from '../../logic/format';
import { now } from '../../state/clock';
import { into, useLoad } from '../../state/load';
import { may, session } from '../../state/session';
import { errorMessage } from '../../state/toast';

interface Props {
  of: { id: string; name: string };
  /** Runs after the member has been removed. */
  then: () => unknown;
  onClose: () => void;
}

/**
 * Asks for confirmation before a member is removed or leaves, and asks what to do with the keys and invitations that
 * they created.
 */
export function Leaving({ of, then, onClose }: Props) {
  const isOwn = of.id === session.value?.person?.id;
  const organization = session.value?.organization?.name ?? '';
  // Only asks users who are allowed to see keys.
  const keys = useLoad(of.id, (signal) =>
    may.admin() ? all<ApiKey>(`/api/v1/api-keys${query({ created_by_id: of.id })}`, signal) : Promise.resolve([]),
  );
  const invitations = useLoad(`invitations of ${of.id}`, (signal) =>
    may.admin()
      ? all<Invitation>(`/api/v1/invitations${query({ created_by_id: of.id })}`, signal)
      : Promise.resolve([]),
  );
  const [revoke, keep, failure] = [useSignal(false), useSignal(false), useSignal('')];
  const leave = async () => {
    failure.value = '';
    try {
      const asked = {
        revoke_keys: revoke.value ? 'true' : null,
        revoke_invitations: keep.value ? 'false' : null,
      };
      await remove(`/api/v1/people/${of.id}${query(asked)}`);
    } catch (error) {
      failure.value = errorMessage(error);
      return;
    }
    onClose();
    await then();
  };
  return (
    <Dialog title={isOwn ? `Leave ${organization}?` : `Remove ${of.name}?`} onClose={onClose}>
      <p>
        {isOwn
          ? 'You lose access at once, in all your browsers. Your account is kept, but you need an invitation to come back.'
          : `${of.name} loses access to ${organization} at once, in every browser. The account is kept, and so is the name on past changes.`}
      </p>
      <Data of={keys}>{(list) => list.length > 0 && <Keys list={list} isOwn={isOwn} revoke={revoke} />}</Data>
      <Data of={invitations}>{(list) => list.length > 0 && <Invitations list={list} isOwn={isOwn} keep={keep} />}</Data>
      {failure.value !== '' && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
      <div class="actions">
        <Button
          class="danger"
          disabled={keys.data.value === undefined || invitations.data.value === undefined}
          onClick={leave}
        >
          {isOwn ? 'Leave' : 'Remove'}
        </Button>
        {/* Focused by default, so that pressing Enter twice doesn't remove anyone. */}
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

const Keys = (props: { list: readonly ApiKey[]; isOwn: boolean; revoke: Signal<boolean> }) => (
  <fieldset class="part">
    <legend>API keys that {props.isOwn ? 'you' : 'they'} created</legend>
    <ul class="made">
      {props.list.map(({ id, name, role, last_used_at }) => (
        <li key={id}>
          <strong>{name}</strong> <span class="chip">{role}</span>{' '}
          <span class="muted small">
            {last_used_at === null ? 'never used' : `last used ${time(last_used_at, now.value)}`}
          </span>
        </li>
      ))}
    </ul>
    <Check
      label={props.list.length === 1 ? 'Also revoke it' : 'Also revoke them'}
      value={props.revoke.value}
      set={into(props.revoke)}
    />
    <p class="muted small">Programs that use these keys lose access. If you leave this off, the keys keep working.</p>
  </fieldset>
);

const Invitations = (props: { list: readonly Invitation[]; isOwn: boolean; keep: Signal<boolean> }) => (
  <fieldset class="part">
    <legend>Open invitations that {props.isOwn ? 'you' : 'they'} created</legend>
    <ul class="made">
      {props.list.map(({ id, email, role }) => (
        <li key={id}>
          <strong>{email}</strong> <span class="chip">{role}</span>
        </li>
      ))}
    </ul>
    {!props.isOwn && <Check label="Keep them in my name" value={props.keep.value} set={into(props.keep)} />}
    <p class="muted small">
      {props.isOwn
        ? 'Their links no longer work after you leave.'
        : 'Otherwise their links no longer work. Password links that they created are revoked in any case.'}
    </p>
  </fieldset>
);
