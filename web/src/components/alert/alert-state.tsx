import type { Alert, Contact } from '../../api/types';
import { alertState } from '../../logic/alert-state';
import { StatusPill } from '../status';

/** Whether an alert rule watches, has an open incident, is off, or would reach nobody. `contacts`: as far as they are known. */
export const AlertState = (props: { alert: Alert; contacts: readonly Contact[] | undefined }) => (
  <StatusPill {...alertState(props.alert, props.contacts)} />
);
