import type { Notice } from '../../channel/channel';
import type { Shipment, ShippedMessage } from './attempt';
import { digestNotice } from '../plan/rate-limit';

/** A stored notice, and how its incident ended where no row tells it. */
export interface StoredNotice {
  notice: Notice;
  endedAt: Date | null;
  endedAfterSeconds: number | null;
}

/** What the provider is told, from the notices as they were written. `null` when the rows are gone. */
export function shipmentNotice(shipment: Shipment, stored: ReadonlyMap<string, StoredNotice>): Notice | null {
  const notices = shipment.messages.flatMap((message) => {
    const notice = messageNotice(message, stored);
    return notice ? [notice] : [];
  });
  const [first, ...others] = notices;
  if (!first) return null;
  if (shipment.digest) return digestNotice([first, ...others], shipment.digest, shipment.repeat);
  return { ...first, repeat: shipment.repeat };
}

/** Times stay those of the transitions, however late the message is. */
function messageNotice(message: ShippedMessage, stored: ReadonlyMap<string, StoredNotice>): Notice | null {
  const carrier = stored.get(message.carrier);
  if (!carrier) return null;
  const companion = message.companion === null ? null : (stored.get(message.companion)?.notice ?? null);
  if (message.kind === 'recovered') return recovered(carrier, companion);
  const told = { ...carrier.notice, kind: message.kind };
  return message.kind === 'triggered' && companion ? { ...told, upSeconds: secondsBetween(companion, told) } : told;
}

/** The outage as a whole: its trigger's error, the time and length of its end. */
function recovered({ notice, endedAt, endedAfterSeconds }: StoredNotice, trigger: Notice | null): Notice {
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

const secondsBetween = (from: Notice, to: Notice): number =>
  Math.max(0, Math.round((Date.parse(to.createdAt) - Date.parse(from.createdAt)) / 1000));
