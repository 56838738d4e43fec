import type { Alert, Contact } from '../../api/types';
import { type AlertDraft, contactTitle, inOrder, routeChange } from '../../logic/alert-draft';
import type { ConfigSchemas } from '../../logic/config-schema';
import { may } from '../../state/session';
import { Choice } from '../form/field';
import type { FormState } from '../form/form';
import { ChannelFields } from './channel-fields';

/** The option for no contact. In that case, the alert rule has its own channel settings. */
const OWN = '';

interface Props {
  form: FormState;
  schemas: ConfigSchemas;
  contacts: readonly Contact[];
  /** The stored alert, or `null` for a new one. */
  stored: Alert | null;
  value: AlertDraft;
  set: (changes: Partial<AlertDraft>) => void;
  choose: (contact: Contact | null) => void;
}

/** A link for creating a contact. The form keeps its values and offers the new contact when the user returns. */
export const NewContactLink = ({ children }: { children: string }) => (
  <a href="#/contacts/new" target="_blank" rel="noopener">
    {children}
    <span class="sr"> (opens a new window)</span>
  </a>
);

/** Selects where an alert rule sends its messages: to a contact, or through a channel with its own settings. */
export function RouteFields({ form, schemas, contacts, stored, value, set, choose }: Props) {
  const isGone = value.contact_id !== null && !contacts.some(({ id }) => id === value.contact_id);
  const nameOf = (id: string) => contacts.find((each) => each.id === id)?.name ?? 'the contact';
  const change = routeChange(value, stored, nameOf);
  const contact = contacts.find(({ id }) => id === value.contact_id);
  const place = contact?.destination ?? null;
  return (
    <>
      {contacts.length === 0 && !isGone ? (
        may.write() && (
          <p class="muted small">
            To use a channel in several alert rules, set it up once as a contact:{' '}
            <NewContactLink>create a contact</NewContactLink>
          </p>
        )
      ) : (
        <div>
          <Choice
            label="Notify through"
            hint={place === null ? undefined : `Messages are sent to ${place}.`}
            error={form.problem('/contact_id')}
            value={value.contact_id ?? OWN}
            set={(id) => {
              form.clear();
              choose(contacts.find((each) => each.id === id) ?? null);
            }}
            options={[
              ...(value.contact_id !== null && isGone ? [[value.contact_id, 'Current contact'] as const] : []),
              ...inOrder(contacts).map((each) => [each.id, contactTitle(each)] as const),
              [OWN, 'Its own settings'],
            ]}
          />
          <p class="small below">
            {contact && (
              <>
                <a href={`#/contacts/${contact.id}`}>{contact.name}</a> ·{' '}
              </>
            )}
            <NewContactLink>New contact</NewContactLink>
          </p>
        </div>
      )}
      {change !== null && (
        <p class={`notice ${stored?.triggered === true ? 'warn' : ''}`} role="status">
          {change}
        </p>
      )}
      {value.contact_id === null && (
        <ChannelFields form={form} schemas={schemas} stored={stored} value={value} set={set} />
      )}
    </>
  );
}
