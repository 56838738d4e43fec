import { signal } from '@preact/signals';
import { get, onSignedOut, post, remove } from '../api/client';
import type { Session } from '../api/types';

/** Who is signed in; `undefined` until known, `null` for nobody. */
export const session = signal<Session | null | undefined>(undefined);

onSignedOut.notify = () => {
  session.value = null;
};

/** Asks who the cookie stands for. A service that cannot be reached leaves the question open and throws. */
export async function restore(): Promise<void> {
  session.value = await get<Session | null>('/auth/session');
}

/** Signs in with a key or a link's token. Throws `ApiProblem`. */
export async function signIn(credentials: { api_key: string } | { sign_in_token: string }): Promise<void> {
  session.value = await post<Session>('/auth/session', credentials);
}

export async function signOut(): Promise<void> {
  await remove('/auth/session');
  session.value = null;
}

/** What the session's role allows. The server decides; the page only leaves out what would be refused. */
export const may = {
  write: (): boolean => session.value?.role === 'write' || session.value?.role === 'admin',
  admin: (): boolean => session.value?.role === 'admin',
};
