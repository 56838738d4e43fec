import type { Alert } from '../../api/types';
import { count } from '../../logic/format';
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

/** `after 3 failures, resolved after 2 successes`; `after 3 failures or warnings, …` where degraded is enough. */
export const thresholdsOf = (alert: Alert): string =>
  `after ${count(alert.failure_threshold, 'failure')}${alert.condition === 'degraded' ? ' or warnings' : ''}, resolved after ${count(alert.success_threshold, 'success', 'successes')}`;
