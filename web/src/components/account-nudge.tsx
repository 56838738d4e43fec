import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post } from '../api/client';
import type { SignInMethods } from '../api/types';
import { entry } from '../state/entry';
import { into } from '../state/load';
import { session } from '../state/session';
import { Dialog } from './dialog';
import { Text } from './form/field';
import { Form } from './form/form';
import { Button } from './layout';

const KEY = 'uptime.account';

function isSilenced(): boolean {
  try {
    return localStorage.getItem(KEY) === 'later';
  } catch {
    return false;
  }
}

const isWanted = signal(!isSilenced());

function silence(): void {
  isWanted.value = false;
  try {
    localStorage.setItem(KEY, 'later');
  } catch {
    // Without storage, the notice reappears on the next page.
  }
}

/** If no one has an account yet, asks an admin with a key to create one by inviting themselves. */
export function AccountNudge() {
  const isNeeded = useSignal(false);
  const isOpen = useSignal(false);
  useEffect(() => {
    if (!isWanted.value) return;
    get<SignInMethods>('/auth/methods').then(
      ({ needs_account, password }) => {
        isNeeded.value = needs_account && password;
      },
      () => undefined,
    );
  }, []);
  if (!isWanted.value || !isNeeded.value) return null;
  return (
    <aside class="unsaved" aria-label="Your account">
      <p>
        Signed in with the key “{session.value?.key_name}”. Create an account so that your changes carry your name.{' '}
        <Button
          onClick={() => {
            isOpen.value = true;
          }}
        >
          Create an account
        </Button>{' '}
        <Button class="plain" onClick={silence}>
          Not now
        </Button>
      </p>
      {isOpen.value && (
        <InviteYourself
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </aside>
  );
}

function InviteYourself({ onClose }: { onClose: () => void }) {
  const email = useSignal('');
  const save = async () => {
    const { token } = await post<{ token: string }>('/api/v1/invitations', { email: email.value, role: 'admin' });
    onClose();
    entry.value = { token };
  };
  return (
    <Dialog title="Create an account" onClose={onClose}>
      <p class="muted">You will use it to sign in as an admin of this organization. The API key keeps working.</p>
      <Form save={save} action="Continue" more={() => <Button onClick={onClose}>Cancel</Button>}>
        {({ problem }) => (
          <Text
            label="Email"
            hint="We do not send email to this address."
            error={problem('/email')}
            type="email"
            autoComplete="username"
            autocapitalize="off"
            value={email.value}
            set={into(email)}
          />
        )}
      </Form>
    </Dialog>
  );
}
