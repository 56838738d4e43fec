import { post } from '../../api/client';
import type { Contact, DeliveryTest } from '../../api/types';
import { DeliveryState } from '../../components/alert/delivery-state';
import { StatusPill } from '../../components/status';
import { contactState } from '../../logic/contact-state';
import { count, duration, time } from '../../logic/format';
import { now } from '../../state/clock';

export const ROOT = '/api/v1/contacts';

export function ContactState({ of }: { of: Contact }) {
  const state = contactState(of);
  if (state) return <StatusPill status={state.status} word={state.word} />;
  return of.last_delivery && <DeliveryState of={of.last_delivery} />;
}

/** Returns the start time and the duration, such as `14:02:11, for 2 h 5 min`. */
export const sinceText = (since: string): string =>
  `${time(since, now.value)}, for ${duration((now.value - Date.parse(since)) / 1000)}`;

/** Links to a contact's alert rules and shows how many there are, such as `used by 12 alert rules`. */
export const UsedBy = ({ of: { id, alert_count } }: { of: Contact }) =>
  alert_count === 0 ? (
    <span class="muted">no alert rule</span>
  ) : (
    <a href={`#/alerts?contact=${id}`}>{count(alert_count, 'alert rule')}</a>
  );

export const DefaultMark = ({ of }: { of: Contact }) =>
  of.default && (
    <span class="chip" title="New endpoints get an alert rule with this contact">
      Default
    </span>
  );

/** Sends a test message through the saved contact at a path. Throws: `ApiProblem`. */
export const testContact = (path: string): Promise<DeliveryTest> => post<DeliveryTest>(`${path}/test`);

/** Describes the result of a test message. */
export const verdictText = ({ state, error }: DeliveryTest): string =>
  state === 'delivered'
    ? `The test message was delivered. ${error ?? ''}`.trim()
    : `The test message was not delivered: ${error ?? state}`;
