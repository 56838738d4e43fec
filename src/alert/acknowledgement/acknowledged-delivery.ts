import type { ChannelRegistry } from '../../channel/channel.registry';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import type { AlertSnapshot } from '../episode/alert-snapshot';
import { acknowledgedNotification } from '../episode/episode';
import type { InHand } from '../../incident/incident-in-hand';
import { isByLink, nameOfLink } from './acknowledgement.dto';

/**
 * For a triggered alert, returns the delivery that notifies the pager of the acknowledgement. Returns nothing for a
 * channel without this feature. It is sent once per episode, because the outbox accepts no second delivery for the same
 * event.
 */
export function acknowledgedDelivery(
  channels: ChannelRegistry,
  alert: AlertSnapshot,
  { by, note, at }: InHand,
): NewDelivery[] {
  const { type, triggerEventId } = alert;
  if (triggerEventId === null || !channels.has(type) || channels.get(type).acknowledges !== true) return [];
  const said = { by: by !== null && isByLink(by) ? nameOfLink(by) : (by ?? ''), note };
  return [
    {
      orgId: alert.orgId,
      alertId: alert.id,
      contactId: alert.contactId,
      eventId: triggerEventId,
      kind: 'acknowledged',
      episodeNo: alert.episodeNo,
      channelType: type,
      destination: destinationOfAlert(alert),
      notification: acknowledgedNotification(alert, triggerEventId, said, at),
      config: null,
    },
  ];
}
