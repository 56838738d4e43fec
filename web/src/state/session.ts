import { signal } from '@preact/signals';
import { get, onSignedOut, post, remove } from '../api/client';
import type { CreatedSession, Session } from '../api/types';
import { deleteWaiting } from './deletion';

/** The signed-in session; `undefined` until it is known, `null` when signed out. */
export const session = signal<Session | null | undefined>(undefined);

/** The session is over without having been ended here: what is on the page, forms that are filled in too, waits for another. */
export const isOver = signal(false);

/** A session begun by an invitation, whose key has to be shown before anything else: `enter` goes on. */
export const invited = signal<CreatedSession | null>(null);

onSignedOut.notify = end;

function end(): void {
  if (session.value) isOver.value = true;
  else session.value = null;
}

/** Reads the session of the cookie. Throws, and changes nothing, while the service cannot be reached. */
export async function restoreSession(): Promise<void> {
  const found = await get<Session | null>('/auth/session');
  if (found) begin(found);
  else end();
}

/** What another organization's key must not see goes before it is let in. */
function begin(next: Session): void {
  if (session.value && session.value.organization.id !== next.organization.id) session.value = null;
  session.value = next;
  isOver.value = false;
}

/** Signs in with an API key or the token of a one-time link. Throws `ApiProblem`. */
export async function signIn(credentials: { api_key: string } | { sign_in_token: string }): Promise<void> {
  const made = await post<CreatedSession>('/auth/session', credentials);
  if (made.api_key === null) begin(made);
  else invited.value = made;
}

/** The key of the invitation was seen: forgets it, and shows the dashboard. */
export function enter(): void {
  if (invited.value) begin(invited.value);
  invited.value = null;
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  await deleteWaiting();
  await remove('/auth/session');
  session.value = null;
  isOver.value = false;
}

/** What the session's role allows. The server decides; the page only hides what it would refuse. */
export const may = {
  write: (): boolean => session.value?.role === 'write' || session.value?.role === 'admin',
  admin: (): boolean => session.value?.role === 'admin',
};
