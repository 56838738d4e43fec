import type { Alert } from '../../api/types';
import { StatusPill } from '../status';
import { isTroubled } from './delivery-state';

/** Whether an alert rule watches, has an open incident, is off, or would reach nobody. */
export const AlertState = ({ alert }: { alert: Pick<Alert, 'enabled' | 'triggered' | 'last_delivery'> }) => {
  if (!alert.enabled) return <StatusPill status="paused" word="Off" />;
  if (alert.triggered) return <StatusPill status="down" word="Triggered" />;
  return isTroubled(alert.last_delivery) ? (
    <StatusPill status="unknown" word="Not delivering" />
  ) : (
    <StatusPill status="up" word="Watching" />
  );
};
