import { useSignal } from '@preact/signals';
import { Choice, Text } from '../../components/form/field';
import type { FormState } from '../../components/form/form';
import { DATE, endOfDay, EXPIRIES, expiryOf } from '../../logic/key-expiry';
import { into } from '../../state/load';

const ROLES = [
  ['read', 'read: look only'],
  ['write', 'write: also create, change, delete and test'],
  ['admin', 'admin: also API keys and the audit log'],
] as const;

/** What is filled in for a new key; `body` is what is sent. */
export function useKeyDraft() {
  const name = useSignal('');
  const role = useSignal('read');
  const expiry = useSignal('never');
  const date = useSignal('');
  const body = () => ({
    name: name.value,
    role: role.value,
    expires_at: expiry.value === DATE ? endOfDay(date.value) : expiryOf(expiry.value, Date.now()),
  });
  return { name, role, expiry, date, body };
}

type Props = Pick<FormState, 'problem'> & { draft: ReturnType<typeof useKeyDraft>; nameLabel: string };

/** The fields of a new key: its name, what it may do and until when. */
export const KeyFields = ({ draft: { name, role, expiry, date }, nameLabel, problem }: Props) => (
  <div class="form-row">
    <Text label={nameLabel} error={problem('/name')} value={name.value} set={into(name)} />
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
);
