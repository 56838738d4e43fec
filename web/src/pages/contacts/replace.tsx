import { useSignal } from '@preact/signals';
import { ApiProblem, query, remove } from '../../api/client';
import type { Contact } from '../../api/types';
import { Dialog } from '../../components/dialog';
import { Chooser } from '../../components/form/chooser';
import { Form } from '../../components/form/form';
import { Button, Data } from '../../components/layout';
import { channelName } from '../../logic/channel-name';
import { count } from '../../logic/format';
import { useContacts } from '../../state/contacts';
import { into } from '../../state/load';
import { ROOT } from './words';

interface Props {
  contact: Contact;
  onClose: () => void;
  onReplaced: (by: string) => void;
}

/** Deletes a contact that alert rules use, and replaces it with another contact. */
export function Replace({ contact: { id, name, alert_count }, onClose, onReplaced }: Props) {
  const contacts = useContacts();
  const chosen = useSignal('');
  const save = async () => {
    if (chosen.value === '')
      throw new ApiProblem(400, 'validation_failed', 'Choose another contact.', [NOTHING_CHOSEN]);
    await remove(`${ROOT}/${id}${query({ replace_with: chosen.value })}`);
    onReplaced(contacts.data.value?.find((each) => each.id === chosen.value)?.name ?? 'another contact');
  };
  const uses = count(alert_count, 'alert rule notifies', 'alert rules notify');
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <Data of={contacts}>
        {(all) => {
          const others = all.filter((each) => each.id !== id);
          if (others.length === 0)
            return (
              <>
                <p>
                  {uses} through this contact, and there is no other contact to replace it.{' '}
                  <a href="#/contacts/new">Create another contact</a>, or delete{' '}
                  <a href={`#/alerts?contact=${id}`}>its alert rules</a> first.
                </p>
                <div class="actions">
                  <Button onClick={onClose}>Cancel</Button>
                </div>
              </>
            );
          return (
            <>
              <p>
                {uses} through this contact. Choose a contact to replace it. If the new contact reaches a different
                destination, open alerts are resolved through the old contact and trigger again at the next failed
                check.
              </p>
              <Form save={save} action="Replace and delete" more={() => <Button onClick={onClose}>Cancel</Button>}>
                {(form) => (
                  <Chooser
                    label="Replace with"
                    placeholder="Choose another contact"
                    error={form.problem('?replace_with')}
                    value={chosen.value}
                    set={into(chosen)}
                    options={others.map((each) => [each.id, `${each.name} · ${channelName(each.type)}`] as const)}
                  />
                )}
              </Form>
            </>
          );
        }}
      </Data>
    </Dialog>
  );
}

const NOTHING_CHOSEN = { pointer: '?replace_with', code: 'required', message: 'replace_with is required' } as const;
