import { signal } from '@preact/signals';
import { get, onSignedOut, post, remove } from '../api/client';
import type { Session } from '../api/types';

/** The signed-in session; `undefined` until it is known, `null` when signed out. */
export const session = signal<Session | null | undefined>(undefined);

onSignedOut.notify = () => {
  session.value = null;
};

/** Reads the session of the cookie. Throws, and changes nothing, while the service cannot be reached. */
export async function restoreSession(): Promise<void> {
  session.value = await get<Session | null>('/auth/session');
}

/** Signs in with an API key or the token of a one-time link. Throws `ApiProblem`. */
export async function signIn(credentials: { api_key: string } | { sign_in_token: string }): Promise<void> {
  session.value = await post<Session>('/auth/session', credentials);
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  await remove('/auth/session');
  session.value = null;
}

/** What the session's role allows. The server decides; the page only hides what it would refuse. */
export const may = {
  write: (): boolean => session.value?.role === 'write' || session.value?.role === 'admin',
  admin: (): boolean => session.value?.role === 'admin',
};
