import type { Contact } from '../../api/types';
import { contactTitle, inOrder } from '../../logic/alert-draft';
import type { Loaded } from '../../state/load';
import { Many } from '../form/chooser';
import { Check } from '../form/field';
import { NewContactLink } from './route-fields';

/**
 * Up to this many contacts are shown as checkboxes. If there are more, only default contacts have a checkbox, and a
 * search finds the others.
 */
const MOST_BOXES = 8;

interface Props {
  contacts: Loaded<Contact[]>;
  chosen: readonly string[];
  set: (chosen: string[]) => void;
}

/** Selects the contacts for a new endpoint: the default contacts, and any others that the user checks. */
export function ContactChoice({ contacts, chosen, set }: Props) {
  const list = contacts.data.value;
  if (!list) {
    const { value: failure } = contacts.error;
    return failure === null ? null : <p class="notice warn">Could not load the contacts: {failure}</p>;
  }
  if (list.length === 0)
    return (
      <p class="muted small">
        No one is notified when it goes down until it has an alert rule. New endpoints get one for each default contact:{' '}
        <NewContactLink>create a contact</NewContactLink>
      </p>
    );
  const boxes = list.length > MOST_BOXES ? list.filter((each) => each.default) : list;
  const others = list.filter((each) => !boxes.includes(each));
  return (
    <fieldset class="part">
      <legend>Contacts to notify</legend>
      {inOrder(boxes).map((contact) => (
        <Check
          key={contact.id}
          label={contactTitle(contact)}
          value={chosen.includes(contact.id)}
          set={(isChosen) => set(isChosen ? [...chosen, contact.id] : chosen.filter((each) => each !== contact.id))}
        />
      ))}
      {others.length > 0 && (
        <Many
          label="More contacts"
          placeholder="Add a contact"
          values={chosen.filter((id) => others.some((each) => each.id === id))}
          set={(values) => set([...chosen.filter((id) => boxes.some((each) => each.id === id)), ...values])}
          options={inOrder(others).map((each) => [each.id, contactTitle(each)] as const)}
        />
      )}
      {chosen.length === 0 && <p class="small reason">No one is notified when it goes down.</p>}
    </fieldset>
  );
}
