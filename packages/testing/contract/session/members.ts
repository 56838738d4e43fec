import type { Session } from './session';
import { createdIn, type Thing } from './things';

export const PASSWORD = 'seven green bottles on a wall';

/** A person with an account, and the headers that their browser sends. */
export interface Member {
  id: string;
  email: string;
  headers: Readonly<Record<string, string>>;
}

export const newEmail = (session: Session): string => `${session.key('person')}@contract.example`;

/** Creates an invitation, by default for a new email address. */
export async function newInvitation(session: Session, email = newEmail(session)): Promise<Thing & { token: string }> {
  return createdIn(await session.admin.post<Thing & { token: string }>('/invitations', { email, role: 'read' }));
}

/** Creates a member with the read role. Their account is erased at the end. */
export async function newMember(session: Session): Promise<Member> {
  const email = newEmail(session);
  const { token } = await newInvitation(session, email);
  const json = { token, name: session.name('person'), password: PASSWORD };
  const response = await session.anonymous.send<{ person: { id: string } }>('POST', '/auth/account', { json });
  if (response.status !== 201) throw new Error(`nobody joined: ${response.status} ${response.text}`);
  return { id: response.body.person.id, email, headers: session.browserOf(response) };
}
