import type { Alert, Contact } from '../../api/types';
import { alertState } from '../../logic/alert-state';
import { StatusPill } from '../status';

/**
 * Shows whether an alert rule watches, has an open incident, is off, or would reach no one. `contacts` may not be
 * loaded yet.
 */
export const AlertState = (props: { alert: Alert; contacts: readonly Contact[] | undefined }) => (
  <StatusPill {...alertState(props.alert, props.contacts)} />
);
