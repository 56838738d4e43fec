import type { Alert, Contact } from '../../api/types';
import { alertState } from '../../logic/alert-state';
import { StatusPill } from '../status';

/**
 * Shows whether an alert rule is watching, has an open incident, is turned off, or wouldn't reach anyone. `contacts`
 * may not be loaded yet.
 */
export const AlertState = (props: { alert: Alert; contacts: readonly Contact[] | undefined }) => (
  <StatusPill {...alertState(props.alert, props.contacts)} />
);
