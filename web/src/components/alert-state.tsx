import type { Alert } from '../api/types';
import { StatusPill } from './status';

/** Whether a rule watches, has an open incident, or is off. */
export const AlertState = ({ alert }: { alert: Pick<Alert, 'enabled' | 'triggered'> }) =>
  alert.enabled ? (
    <StatusPill status={alert.triggered ? 'down' : 'up'} word={alert.triggered ? 'Triggered' : 'Watching'} />
  ) : (
    <StatusPill status="paused" word="Off" />
  );
