import type { Notification } from '../../channel/notification';
import { MESSAGE_KINDS } from '../../channel/kind/message-kinds';

/**
 * How many deliveries of each kind a digest covers. `contacts` and `certificates` are present only if there are any,
 * and `incident` only in a fold.
 */
export type DigestCounts = Omit<NonNullable<Notification['digest']>, 'members'>;

/** The maximum number of members that a digest lists by name. */
export const DIGEST_NAMED = 20;

/**
 * Combines many notifications into one. It contains how many alerts triggered and resolved, how many contacts are
 * failing, and the names of the first ones. `named` is sorted by importance, most important first. A digest is sent
 * under the ID of the newest notification. A fold is sent under the ID of the newest one that is down, so that users
 * can acknowledge the incident through its episode.
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
        message: MESSAGE_KINDS[member.kind].inDigest(member),
      })),
    },
  };
}

const countsAs = (kind: Notification['kind']) => MESSAGE_KINDS[kind].countsAs;

/** Returns a digest's counts for these notifications. */
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
