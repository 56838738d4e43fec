import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiProblem } from '../api/client';
import { Field } from '../components/form/field';
import { Form } from '../components/form/form';
import { replace, route } from '../state/router';
import { isOver, signIn } from '../state/session';
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
        note.value = 'This link was used before or is older than 15 minutes. Use an API key.';
      },
    );
  }, [route.value]);

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
