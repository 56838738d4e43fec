import type { ApiKey, Role } from '../api/types';

/** What a role may do, as the end of "you can …". */
const MAY: Record<Role, string> = {
  read: 'see everything and change nothing',
  write: 'see everything, and create, change, test and delete',
  admin: 'do everything, also invite others and read the audit log',
};

/** `2026-12-03 14:05 UTC`: whoever reads it may be in another time zone. */
const minute = (iso: string): string => `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** A message that invites somebody: `address` is that of the dashboard, without a fragment. */
export function invitationText(invited: {
  name: string;
  role: Role;
  organization: string;
  address: string;
  token: string;
  until: string;
}): string {
  return `Hello ${invited.name},

here is your way into the uptime monitor of ${invited.organization}: ${invited.address}

This link signs you in. It works once, until ${minute(invited.until)}:
${invited.address}#/sign-in/${invited.token}

It shows you a key of your own. Keep it: with it you sign in the next time. Your role is "${invited.role}": you can ${MAY[invited.role]}.
`;
}

/** How far an invitation is: not yet used, over, or not of interest any more. */
export function invitationState({ invitation }: Pick<ApiKey, 'invitation'>, nowMs: number): 'open' | 'over' | null {
  if (!invitation || invitation.accepted_at !== null) return null;
  return Date.parse(invitation.expires_at) > nowMs ? 'open' : 'over';
}
