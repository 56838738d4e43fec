import type { Notification } from '../../channel/channel';
import type { Attempt, AttemptPart } from './attempt';
import { digestNotification } from '../plan/rate-limit';

/** A stored notice, and how its incident ended where no row tells it. */
export interface StoredNotification {
  notice: Notification;
  endedAt: Date | null;
  endedAfterSeconds: number | null;
}

/** What the provider is told, from the notices as they were written. `null` when the rows are gone. */
export function attemptNotification(
  shipment: Attempt,
  stored: ReadonlyMap<string, StoredNotification>,
): Notification | null {
  const notices = shipment.messages.flatMap((message) => {
    const notice = messageNotice(message, stored);
    return notice ? [notice] : [];
  });
  const [first, ...others] = notices;
  if (!first) return null;
  if (shipment.digest) return digestNotification([first, ...others], shipment.digest, shipment.repeat);
  return { ...first, repeat: shipment.repeat };
}

/** Times stay those of the transitions, however late the message is. */
function messageNotice(message: AttemptPart, stored: ReadonlyMap<string, StoredNotification>): Notification | null {
  const carrier = stored.get(message.primary);
  if (!carrier) return null;
  const companion = message.merged === null ? null : (stored.get(message.merged)?.notice ?? null);
  if (message.kind === 'recovered') return recovered(carrier, companion);
  const told = { ...carrier.notice, kind: message.kind };
  return message.kind === 'triggered' && companion ? { ...told, upSeconds: secondsBetween(companion, told) } : told;
}

/** The outage as a whole: its trigger's error, the time and length of its end. */
function recovered(
  { notice, endedAt, endedAfterSeconds }: StoredNotification,
  trigger: Notification | null,
): Notification {
  return {
    ...notice,
    kind: 'recovered',
    triggerId: null,
    error: trigger?.error ?? notice.error,
    failureCount: trigger?.failureCount ?? notice.failureCount,
    createdAt: endedAt?.toISOString() ?? notice.createdAt,
    durationSeconds: notice.durationSeconds ?? endedAfterSeconds,
  };
}

const secondsBetween = (from: Notification, to: Notification): number =>
  Math.max(0, Math.round((Date.parse(to.createdAt) - Date.parse(from.createdAt)) / 1000));
