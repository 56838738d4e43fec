import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, post, put, remove } from '../../api/client';
import type { Alert, OverviewItem } from '../../api/types';
import { type ContactShare, contactPlan, planText, sharesOf, type Wanted } from '../../logic/bulk-contacts';
import { count } from '../../logic/format';
import { runBulk } from '../../state/bulk';
import { useContacts } from '../../state/contacts';
import { useLoad } from '../../state/load';
import { Dialog } from '../dialog';
import { Choice } from '../form/field';
import { Form } from '../form/form';
import { Button } from '../layout';

/** The maximum number of resources in a scope. */
const MOST_IN_SCOPE = 1000;
/** The number of alert rules to load per request. */
const PAGE = 1000;

/** Adds, removes, and replaces contacts of the selected endpoints. */
export function BulkContacts({ list, close }: { list: readonly OverviewItem[]; close: () => void }) {
  const contacts = useContacts().data.value;
  const rules = useLoad('bulk-contacts', (signal) => all<Alert>(`/api/v1/alerts?limit=${PAGE}`, signal)).data.value;
  const wanted = useSignal<Wanted['contacts']>({});
  const from = useSignal('');
  const to = useSignal('');
  const ids = list.map(({ id }) => id);
  const replace =
    from.value !== '' && to.value !== '' && from.value !== to.value ? { from: from.value, to: to.value } : null;
  const plan = contactPlan(rules ?? [], ids, { contacts: wanted.value, replace });
  const save = async () => {
    for (const { contactId, endpointIds } of plan.add)
      for (let at = 0; at < endpointIds.length; at += MOST_IN_SCOPE)
        await post(`/api/v1/contacts/${contactId}/alerts`, {
          scope: { endpoint_ids: endpointIds.slice(at, at + MOST_IN_SCOPE) },
        });
    close();
    const changed = list.filter(({ id }) => plan.changes.has(id));
    await runBulk('Changed', changed.length > 0 ? changed : list, async ({ id }) => {
      const { move = [], remove: gone = [] } = plan.changes.get(id) ?? {};
      for (const one of move) await put(`/api/v1/alerts/${one.id}`, { contact_id: one.to });
      for (const rule of gone) await remove(`/api/v1/alerts/${rule}`);
    });
  };
  const title = `Contacts of ${count(list.length, 'endpoint')}`;
  if (contacts?.length === 0)
    return (
      <Dialog title={title} onClose={close}>
        <p>
          There is no contact yet. <a href="#/contacts/new">New contact</a>
        </p>
        <Button onClick={close}>Cancel</Button>
      </Dialog>
    );
  if (!contacts || !rules)
    return (
      <Dialog title={title} onClose={close}>
        <p class="muted">Loading…</p>
      </Dialog>
    );
  const shares = sharesOf(contacts, rules, ids);
  const used = shares.filter(({ endpoints }) => endpoints > 0);
  return (
    <Dialog title={title} onClose={close}>
      <Form save={save} action="Apply" more={() => <Button onClick={close}>Cancel</Button>}>
        {() => (
          <>
            <fieldset class="form part">
              <legend>Notified about these endpoints</legend>
              {shares.map((each) => (
                <ShareBox
                  key={each.contact.id}
                  of={each}
                  total={list.length}
                  wanted={wanted.value[each.contact.id]}
                  set={(isWanted) => (wanted.value = { ...wanted.value, [each.contact.id]: isWanted })}
                />
              ))}
            </fieldset>
            {used.length > 0 && contacts.length > 1 && (
              <>
                <Choice
                  label="Replace"
                  value={from.value}
                  set={(id) => (from.value = id)}
                  options={[['', 'No contact'], ...used.map(({ contact }) => [contact.id, contact.name] as const)]}
                />
                {from.value !== '' && (
                  <Choice
                    label="By"
                    value={to.value}
                    set={(id) => (to.value = id)}
                    options={[
                      ['', 'Choose a contact'],
                      ...contacts.flatMap(({ id, name }) => (id === from.value ? [] : [[id, name] as const])),
                    ]}
                  />
                )}
              </>
            )}
            <p role="status">{planText(plan)}</p>
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface BoxProps {
  of: ContactShare;
  total: number;
  wanted: boolean | undefined;
  set: (isWanted: boolean) => void;
}

/** A checkbox with three states: all endpoints, some endpoints, or no endpoint notifies the contact. */
function ShareBox({ of: { contact, endpoints, share }, total, wanted, set }: BoxProps) {
  const box = useRef<HTMLInputElement>(null);
  const isMixed = wanted === undefined && share === 'some';
  useEffect(() => {
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <label class="check-field">
      <input
        ref={box}
        type="checkbox"
        checked={wanted ?? share === 'all'}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <span>
        {contact.name}{' '}
        <span class="muted small">
          {endpoints === 0 ? 'none' : `${endpoints.toLocaleString('en')} of ${total.toLocaleString('en')}`}
        </span>
      </span>
    </label>
  );
}
