import type { Alert } from '../../api/types';
import { count } from '../../logic/format';
import { StatusPill } from '../status';

/** Whether an alert rule watches, has an open incident, or is off. */
export const AlertState = ({ alert }: { alert: Pick<Alert, 'enabled' | 'triggered'> }) =>
  alert.enabled ? (
    <StatusPill status={alert.triggered ? 'down' : 'up'} word={alert.triggered ? 'Triggered' : 'Watching'} />
  ) : (
    <StatusPill status="paused" word="Off" />
  );

/** `after 3 failures, resolved after 2 successes`. */
export const thresholdsOf = (alert: Alert): string =>
  `after ${count(alert.failure_threshold, 'failure')}, resolved after ${count(alert.success_threshold, 'success', 'successes')}`;
