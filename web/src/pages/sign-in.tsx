import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiProblem } from '../api/client';
import { Field } from '../components/form/field';
import { Form } from '../components/form/form';
import { go, route } from '../state/router';
import { signIn } from '../state/session';
import { errorMessage } from '../state/toast';

const explain = (error: unknown): string =>
  error instanceof ApiProblem && error.status === 401 ? 'This key is not valid.' : errorMessage(error);

/** Signs in with an API key, or with the token of a one-time link, which is first removed from the address bar. */
export function SignIn() {
  const key = useSignal('');
  const note = useSignal('');

  useEffect(() => {
    const [first, token] = route.peek().path;
    if (first !== 'sign-in' || token === undefined) return;
    history.replaceState(null, '', '#/sign-in');
    signIn({ sign_in_token: token }).then(
      () => go('/'),
      () => {
        note.value = 'This link was used before or is older than 15 minutes. Use an API key.';
      },
    );
  }, []);

  return (
    <main id="main" tabIndex={-1} class="sign-in">
      <h1>Sign in</h1>
      {note.value !== '' && (
        <p class="notice warn" role="alert">
          {note.value}
        </p>
      )}
      <Form save={() => signIn({ api_key: key.value.trim() })} action="Sign in" isOpen explain={explain}>
        {() => (
          <Field label="API key" hint="Any role will do. What you may do here is what the key may do.">
            {(control) => (
              <input
                {...control}
                disabled={false}
                type="password"
                autofocus
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
      <a href="/docs">API reference</a>
    </main>
  );
}
