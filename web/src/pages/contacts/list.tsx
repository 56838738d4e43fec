import { useSignal } from '@preact/signals';
import type { Contact } from '../../api/types';
import { AlertsHead } from '../../components/alert/alerts-head';
import { DeliveryFacts } from '../../components/alert/delivery-state';
import { Empty } from '../../components/empty';
import { Button, Data, Table } from '../../components/layout';
import { channelName } from '../../logic/channel-name';
import { worstFirst } from '../../logic/contact-state';
import { useContacts } from '../../state/contacts';
import { useEvery } from '../../state/load';
import { may } from '../../state/session';
import { runAction, showToast } from '../../state/toast';
import { ContactState, DefaultMark, ROOT, sinceText, testContact, UsedBy, verdictText } from './words';

/** How many rows to show at first, and how many each click adds. A table with a thousand rows is slow to draw. */
const ROWS = 100;

/** Lists every contact: its destination, how many alert rules use it, and whether its messages arrive. */
export function ContactsPage() {
  const contacts = useContacts();
  const rows = useSignal(ROWS);
  useEvery(30, contacts.reload);
  return (
    <>
      <AlertsHead current="contacts" />
      <Data of={contacts}>
        {(list) =>
          list.length === 0 ? (
            <None />
          ) : (
            <>
              <Table
                label="Contacts"
                head={['State', 'Contact', '~Used by', '~Last message', '']}
                rows={worstFirst(list)
                  .slice(0, rows.value)
                  .map((contact) => [
                    <ContactState of={contact} />,
                    <Who of={contact} />,
                    <UsedBy of={contact} />,
                    <LastMessage of={contact} />,
                    may.write() && <Test of={contact} />,
                  ])}
              />
              {list.length > rows.value && (
                <Button
                  onClick={() => {
                    rows.value += ROWS;
                  }}
                >
                  More contacts
                </Button>
              )}
            </>
          )
        }
      </Data>
    </>
  );
}

const None = () => (
  <Empty drawing="contacts">
    <h2>No contacts yet</h2>
    <p>
      Set up a channel (such as a chat or a pager) once and use it in any number of alert rules. If its address or token
      changes, update it here.
    </p>
    {may.write() && (
      <p>
        <a class="button primary" href="#/contacts/new">
          Add the first contact
        </a>
      </p>
    )}
  </Empty>
);

const Who = ({ of }: { of: Contact }) => (
  <>
    <a href={`#/contacts/${of.id}`}>{of.name}</a> <DefaultMark of={of} />
    <p class="muted small">
      {channelName(of.type)}
      {of.destination !== null && ` · ${of.destination}`}
    </p>
    {of.failing_since !== null && (
      <p class="small reason">
        <b>Failing since {sinceText(of.failing_since)}</b>
        {of.last_delivery?.error && `: ${of.last_delivery.error}`}
      </p>
    )}
  </>
);

/** Shows the last message. The contact's own column already shows the error while it is failing. */
const LastMessage = ({ of: { last_delivery, failing_since } }: { of: Contact }) =>
  last_delivery === null ? (
    <span class="muted">–</span>
  ) : (
    <DeliveryFacts of={failing_since === null ? last_delivery : { ...last_delivery, error: null }} />
  );

const Test = ({ of: { id, name } }: { of: Contact }) => (
  <Button
    class="plain"
    label={`Send a test to ${name}`}
    onClick={() =>
      runAction(async () => {
        const verdict = await testContact(`${ROOT}/${id}`);
        showToast(`${name}: ${verdictText(verdict)}`, verdict.state === 'delivered' ? 'good' : 'bad');
      })
    }
  >
    Test
  </Button>
);
