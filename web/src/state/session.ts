import { computed, effect, signal } from '@preact/signals';
import { get, onRefused, onSignedOut, put, remove, shownOrganization } from '../api/client';
import type { Session, SignedIn } from '../api/types';
import { deleteWaiting } from './deletion';

/** The current session. `undefined` until it is known, `null` when signed out. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the session ended elsewhere. The page and its forms stay until the user signs in again. */
export const isOver = signal(false);

/** A user who is in no organization, or no longer in the session's organization. The dashboard has nothing to show. */
export const homeless = signal<SignedIn | null>(null);

/** The session after another window switched to another organization. This page keeps showing the previous one. */
export const moved = signal<Session | null>(null);

/**
 * The organization and the user that this page belongs to. All keys of an organization count as one user. Others must
 * not see its content.
 */
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
  // A refusal costs one more request, even though it usually has another reason. The next refusal checks again.
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

/** Loads the session of the cookie. Throws and changes nothing if the service can't be reached. */
export async function restoreSession(): Promise<void> {
  const before = session.peek();
  const found = await get<SignedIn | null>('/auth/session');
  // The user has signed in or out, or switched organizations, in the meantime.
  if (session.peek() !== before) return;
  if (!found) end();
  else if (before && !isOver.value && isInOrganization(found) && found.organization.id !== before.organization.id)
    moved.value = found;
  else begin(found);
}

const isInOrganization = (one: SignedIn): one is Session => one.organization !== null && one.role !== null;

/**
 * Shows the dashboard for a session. If the user or the organization is different, the old content is removed first.
 */
export function begin(next: SignedIn): void {
  isOver.value = false;
  moved.value = null;
  homeless.value = isInOrganization(next) ? null : next;
  const isSame =
    session.value?.organization.id === next.organization?.id && session.value?.person?.id === next.person?.id;
  if (!isSame) session.value = null;
  if (isInOrganization(next)) session.value = next;
}

/** Switches to another of the user's organizations in every window. Throws: `ApiProblem`. */
export async function switchTo(organization_id: string): Promise<void> {
  await deleteWaiting();
  begin(await put<SignedIn>('/auth/session', { organization_id }));
}

export async function signOut(): Promise<void> {
  await deleteWaiting();
  await remove('/auth/session');
  session.value = homeless.value = moved.value = null;
  isOver.value = false;
}

/** The permissions of the session's role. The server decides, and the page only hides what it would refuse. */
export const may = {
  write: (): boolean => session.value?.role === 'write' || session.value?.role === 'admin',
  admin: (): boolean => session.value?.role === 'admin',
};
