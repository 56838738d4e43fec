import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../src/api/types';
import { at } from './service';

const STORED = 'uptime.reference.key';

/** The API key, kept in this tab so that it survives a reload. */
let key = ((): string => {
  try {
    return sessionStorage.getItem(STORED) ?? '';
  } catch {
    return '';
  }
})();

function keep(next: string): void {
  key = next;
  try {
    if (next === '') sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, next);
  } catch {
    // Without storage, the key is kept until the page is closed.
  }
}

/** Returns the credentials for a request: the key if there is one, otherwise the dashboard session. */
export const sender = (): Pick<RequestInit, 'headers' | 'credentials'> =>
  key === ''
    ? { headers: {}, credentials: 'same-origin' }
    : { headers: { Authorization: `Bearer ${key}` }, credentials: 'omit' };

/** Shows this page's key, or the user who is signed in to the dashboard. */
export function Credentials() {
  const [isKnown, setKnown] = useState(key !== '');
  const [session, setSession] = useState<Session | null>(null);
  useEffect(() => {
    const ask = async () => {
      const response = await fetch(at('/auth/session'));
      if (response.status === 200) setSession((await response.json()) as Session);
    };
    ask().catch(() => undefined);
  }, []);

  if (isKnown)
    return (
      <p class="credentials">
        Requests use the key that you entered. This tab keeps it until you close the tab.{' '}
        <button
          type="button"
          onClick={() => {
            keep('');
            setKnown(false);
          }}
        >
          Forget the key
        </button>
      </p>
    );
  return (
    <form
      class="credentials"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget).get('key');
        const value = typeof entered === 'string' ? entered.trim() : '';
        keep(value);
        setKnown(value !== '');
      }}
    >
      {session && (
        <p>
          Requests use your dashboard session: {session.organization.name}, role {session.role}.
        </p>
      )}
      <label for="key">{session ? 'Or use an API key' : 'API key'}</label>
      <div class="row">
        <input id="key" name="key" type="password" autocomplete="off" spellcheck={false} />
        <button type="submit">Use this key</button>
      </div>
    </form>
  );
}
