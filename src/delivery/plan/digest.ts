import type { Notification } from '../../channel/channel';
import { changesOf, durationText } from '../../channel/notification-text';

/** How many members of a digest are named. */
export const DIGEST_NAMED = 20;

/**
 * One notification for many: how many alerts triggered and resolved, and the first of them by name. `named` has the most
 * important first; the digest is sent under the id of the newest of them.
 */
export function digestNotification(
  named: readonly [Notification, ...Notification[]],
  counts: { triggered: number; resolved: number },
  repeat: boolean,
): Notification {
  const newest = named.reduce((latest, one) => (one.createdAt > latest.createdAt ? one : latest));
  return {
    ...newest,
    kind: 'digest',
    triggerId: null,
    repeat,
    digest: {
      ...counts,
      members: named.slice(0, DIGEST_NAMED).map((member) => ({
        kind: countsAs(member.kind),
        isDegraded: member.isDegraded,
        endpoint: member.endpoint.name,
        website: member.website.name,
        message: memberText(member),
      })),
    },
  };
}

/** A digest counts two kinds: what is or may be down, and what recovered. */
export const countsAs = (kind: Notification['kind']): 'triggered' | 'resolved' =>
  kind === 'triggered' || kind === 'flapping' || kind === 'reminder' ? 'triggered' : 'resolved';

function memberText(member: Notification): string {
  const { kind, isDegraded, error, failureCount, durationSeconds, reason } = member;
  const length = durationSeconds === null ? '' : durationText(durationSeconds);
  if (kind === 'triggered')
    return error?.message ?? `${failureCount} ${isDegraded ? 'degraded' : 'failed'} checks in a row`;
  if (kind === 'reminder') return `still ${isDegraded ? 'degraded' : 'down'}${length && ` for ${length}`}`;
  if (kind === 'flapping') return `keeps ${changesOf(member)}`;
  if (kind === 'recovered') return `was ${isDegraded ? 'degraded' : 'down'}${length && ` for ${length}`}`;
  if (reason === 'disabled' || reason === 'deleted') return `the alert was ${reason}`;
  return `${isDegraded ? 'no longer degraded' : 'up again'}${length && ` after ${length}`}`;
}
