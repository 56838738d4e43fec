import { may as grants, type Permission } from '../../../src/platform/access/permissions';
import { computed, effect, signal } from '@preact/signals';
import { get, onRefused, onSignedOut, put, remove, shownOrganization } from '../api/client';
import type { Session, SignedIn } from '../api/types';
import { deleteWaiting } from './deletion';

/** The current session. `undefined` until it is known, or `null` if the user is signed out. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the session was ended elsewhere. The page and its forms are kept until the user signs in again. */
export const isOver = signal(false);

/**
 * A user who doesn't belong to any organization, or no longer belongs to the session's organization. The dashboard has
 * nothing to show.
 */
export const homeless = signal<SignedIn | null>(null);

/** The session after another window switched organizations. This page continues to show the previous one. */
export const moved = signal<Session | null>(null);

/**
 * The organization and user that this page belongs to. All of an organization's keys count as one user. Others must not
 * see its content.
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
  // Costs one more request for each refusal, even though refusals usually have another reason. The next refusal checks
  // again.
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

/** Loads the session for the cookie. If the service can't be reached, throws and changes nothing. */
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

/** Switches every window to another of the user's organizations. Throws: `ApiProblem`. */
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
  respond: (): boolean => has('incidents.respond'),
  mute: (): boolean => has('alerts.mute'),
  write: (): boolean => has('write'),
  admin: (): boolean => has('admin'),
};

const has = (permission: Permission): boolean => session.value ? grants(session.value, permission) : false;
