import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiProblem } from '../api/client';
import type { CreatedSession } from '../api/types';
import { CopyButton } from '../components/copy';
import { Field } from '../components/form/field';
import { Form } from '../components/form/form';
import { Button } from '../components/layout';
import { replace, route } from '../state/router';
import { enter, invited, isOver, signIn } from '../state/session';
import { errorMessage } from '../state/toast';

const explain = (error: unknown): string =>
  error instanceof ApiProblem && error.status === 401 ? 'This key is not valid.' : errorMessage(error);

/** Signs in with an API key, or with the token of a one-time link, which is first removed from the address bar. */
export function SignIn() {
  const key = useSignal('');
  const note = useSignal('');
  const input = useRef<HTMLInputElement>(null);

  // Not by `autofocus`: that works on a fresh page only.
  useEffect(() => input.current?.focus(), []);

  // Also when the link is opened in a tab that shows this page already.
  useEffect(() => {
    const [first, token] = route.value.path;
    if (first !== 'sign-in' || token === undefined) return;
    replace('/sign-in');
    note.value = '';
    signIn({ sign_in_token: token }).then(
      () => replace('/'),
      () => {
        note.value = 'This link was used before, or its time is over. Ask for a new one, or use an API key.';
      },
    );
  }, [route.value]);

  if (invited.value) return <OwnKey of={invited.value} />;
  return (
    <main class="sign-in">
      <p class="brand">
        <img src="/favicon.svg" width="32" height="32" alt="" />
        Uptime
      </p>
      <h1>Sign in</h1>
      {isOver.value && (
        <p class="notice warn" role="alert">
          Your session is over: it was ended elsewhere, was not used for too long, or its key was revoked or has
          expired. Sign in to go on where you were; what you had filled in is still there.
        </p>
      )}
      {note.value !== '' && (
        <p class="notice warn" role="alert">
          {note.value}
        </p>
      )}
      <Form save={() => signIn({ api_key: key.value.trim() })} action="Sign in" isOpen explain={explain}>
        {() => (
          <Field label="API key" hint="A key with any role. You may do here what the key may do.">
            {(control) => (
              <input
                {...control}
                ref={input}
                disabled={false}
                type="password"
                autoComplete="current-password"
                placeholder="ums_…"
                value={key.value}
                onInput={(event) => {
                  key.value = event.currentTarget.value;
                }}
              />
            )}
          </Field>
        )}
      </Form>
      <details>
        <summary>Where is my key?</summary>
        <p>
          The first start prints it, with a link that signs in, in the terminal. Without a terminal it is in the file{' '}
          <code>bootstrap-api-key</code> in the data directory.
        </p>
        <p>
          Lost? On the machine of the service: <code>npm run keys -- create --role admin</code>
        </p>
      </details>
      <a href="/docs">API reference</a>
    </main>
  );
}

/** After the link of an invitation: the key that the person keeps, this one time. */
function OwnKey({ of: { api_key, key_name, organization, role } }: { of: CreatedSession }) {
  const key = api_key ?? '';
  return (
    <main class="sign-in">
      <h1>Welcome, {key_name}</h1>
      <p>
        You are in “{organization.name}”, with the role {role}. This is your key. Keep it, best in a password manager:
        with it you sign in the next time, and it is shown only now.
      </p>
      <pre tabIndex={0}>{key}</pre>
      <div class="actions">
        <CopyButton text={key} label="Copy key" />
        <Button class="primary" onClick={enter}>
          I have kept it
        </Button>
      </div>
    </main>
  );
}
