import { computed, effect, signal } from '@preact/signals';
import { get, onRefused, onSignedOut, put, remove, shownOrganization } from '../api/client';
import type { Session, SignedIn } from '../api/types';
import { deleteWaiting } from './deletion';

/** The signed-in session; `undefined` until it is known, `null` when signed out. */
export const session = signal<Session | null | undefined>(undefined);

/** The session is over without having been ended here: what is on the page, forms that are filled in too, waits for another. */
export const isOver = signal(false);

/** A person who is in no organization, or not any more in that of the session: there is nothing to show. */
export const homeless = signal<SignedIn | null>(null);

/** The session went over to another organization in another window: what is shown here is of the one before, and stays so. */
export const moved = signal<Session | null>(null);

/** Whose page this is: of an organization, and of a person or of any key of it. Nobody else sees what is on it. */
export const whose = computed(
  () => session.value && `${session.value.organization.id} ${session.value.person?.id ?? 'key'}`,
);

effect(() => {
  shownOrganization.id = session.value?.organization.id ?? null;
});

onSignedOut.notify = end;

let isAsking = false;
onRefused.notify = () => {
  if (isAsking || !session.peek()) return;
  isAsking = true;
  // One request more for one that was refused, most often for another reason. Another refusal asks again.
  restoreSession()
    .catch(() => undefined)
    .finally(() => {
      isAsking = false;
    });
};

function end(): void {
  if (session.value) isOver.value = true;
  else session.value = homeless.value = null;
}

/** Reads the session of the cookie. Throws, and changes nothing, while the service cannot be reached. */
export async function restoreSession(): Promise<void> {
  const before = session.peek();
  const found = await get<SignedIn | null>('/auth/session');
  // Somebody has signed in, out or over meanwhile.
  if (session.peek() !== before) return;
  if (!found) end();
  else if (before && !isOver.value && isInOrganization(found) && found.organization.id !== before.organization.id)
    moved.value = found;
  else begin(found);
}

const isInOrganization = (one: SignedIn): one is Session => one.organization !== null && one.role !== null;

/** Shows the dashboard to whoever has signed in. What others must not see goes before. */
export function begin(next: SignedIn): void {
  isOver.value = false;
  moved.value = null;
  homeless.value = isInOrganization(next) ? null : next;
  const isSame =
    session.value?.organization.id === next.organization?.id && session.value?.person?.id === next.person?.id;
  if (!isSame) session.value = null;
  if (isInOrganization(next)) session.value = next;
}

/** Goes over to another organization of the person, by its public id, in every window. Throws `ApiProblem`. */
export async function switchTo(organization_id: string): Promise<void> {
  await deleteWaiting();
  begin(await put<SignedIn>('/auth/session', { organization_id }));
}

/** Ends the session, here and on the server. */
export async function signOut(): Promise<void> {
  await deleteWaiting();
  await remove('/auth/session');
  session.value = homeless.value = moved.value = null;
  isOver.value = false;
}

/** What the session's role allows. The server decides; the page only hides what it would refuse. */
export const may = {
  write: (): boolean => session.value?.role === 'write' || session.value?.role === 'admin',
  admin: (): boolean => session.value?.role === 'admin',
};
