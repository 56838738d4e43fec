import type { Notification } from '../../channel/notification';
import { changesOf, lasting, recoveryText, stateOf, stillText } from '../../channel/notification-text';
import { endsIn } from '../../platform/text/ends-in';

/** How many of each kind a digest covers; `contacts` and `certificates` only when there are any, `incident` of a fold. */
export type DigestCounts = Omit<NonNullable<Notification['digest']>, 'members'>;

/** How many members of a digest are named. */
export const DIGEST_NAMED = 20;

/**
 * One notification for many: how many alerts triggered and resolved, how many contacts fail, and the first of them by name.
 * `named` has the most important first; the digest is sent under the id of the newest of them, a fold under that of the newest
 * that is down: by its episode somebody takes the incident in hand.
 */
export function digestNotification(
  named: readonly [Notification, ...Notification[]],
  counts: DigestCounts,
  repeat: boolean,
): Notification {
  const { incident } = counts;
  const down = named.filter(({ kind }) => countsAs(kind) === 'triggered');
  const newest = (incident && down.length > 0 ? down : named).reduce((latest, one) =>
    one.createdAt > latest.createdAt ? one : latest,
  );
  const isThere = down.every(({ check }) => check?.address === incident?.address);
  return {
    ...newest,
    kind: 'digest',
    triggerId: null,
    repeat,
    digest: {
      ...counts,
      ...(incident && { incident: { ...incident, address: isThere ? incident.address : null } }),
      members: named.slice(0, DIGEST_NAMED).map((member) => ({
        kind: countsAs(member.kind),
        isDegraded: member.isDegraded,
        endpoint: member.contact?.name ?? member.endpoint.name,
        website: member.website.name,
        message: memberText(member),
      })),
    },
  };
}

/** A digest counts what is or may be down, what recovered, and contacts that fail. */
function countsAs(kind: Notification['kind']): 'triggered' | 'resolved' | 'contact' | 'certificate' {
  if (kind === 'contact_failing') return 'contact';
  if (kind === 'expiry') return 'certificate';
  return kind === 'triggered' || kind === 'flapping' || kind === 'reminder' ? 'triggered' : 'resolved';
}

/** What a digest of such notifications counts. */
export function countsOf(kinds: readonly Notification['kind'][]): DigestCounts {
  const counts = { triggered: 0, resolved: 0, contact: 0, certificate: 0 };
  for (const kind of kinds) counts[countsAs(kind)]++;
  const { contact, certificate, ...alerts } = counts;
  return {
    ...alerts,
    ...(contact > 0 ? { contacts: contact } : {}),
    ...(certificate > 0 ? { certificates: certificate } : {}),
  };
}

function memberText(member: Notification): string {
  const { kind, isDegraded, error, failureCount, reason } = member;
  if (kind === 'contact_failing') return `has accepted no messages${lasting('for', member)}`;
  if (kind === 'expiry' && member.certificate) return endsIn(member.certificate.daysLeft, member.certificate.expiresAt);
  if (kind === 'triggered')
    return error?.message ?? `${failureCount} ${isDegraded ? 'degraded' : 'failed'} checks in a row`;
  if (kind === 'reminder') return stillText(member);
  if (kind === 'flapping') return `keeps ${changesOf(member)}`;
  if (kind === 'recovered') return `was ${stateOf(member)}${lasting('for', member)}`;
  if (reason === 'disabled' || reason === 'deleted') return `the alert was ${reason}`;
  return recoveryText(member);
}
