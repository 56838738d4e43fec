import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post } from '../../api/client';
import type { Alert, Contact, DeliveryTest } from '../../api/types';
import { channelName } from '../../logic/channel-name';
import { madeText } from '../../logic/contact-draft';
import { FIRST_CHANNELS, type FirstChannel, firstContactBody } from '../../logic/first-contact';
import { ROOT, testContact, verdictText } from '../../pages/contacts/words';
import { useContacts } from '../../state/contacts';
import { into, useLoad } from '../../state/load';
import { kept } from '../../state/overview-view';
import { session } from '../../state/session';
import { runAction, showToast } from '../../state/toast';
import { Text } from '../form/field';
import { Form } from '../form/form';
import { Generated, keepGenerated } from '../form/generated';
import { Icon } from '../icons';
import { Button } from '../layout';

/** The organizations where the user chose "Not now" in this browser, and those known to have a contact. */
const [dismissed, setDismissed] = kept<string[]>('first-contact', []);
const answered = signal<ReadonlySet<string>>(new Set());

/**
 * Asks whom to notify until there is a contact or an alert rule, or the user dismisses it. `then` runs after alert
 * rules have been created.
 */
export function FirstContact({ then }: { then: () => void }) {
  const organization = session.value?.organization.id ?? '';
  const made = useSignal<Contact | null>(null);
  const isAsked = !dismissed.value.includes(organization) && !answered.value.has(organization);
  const contacts = useContacts(isAsked).data.value;
  const isWithout = contacts?.length === 0;
  const alerts = useLoad(`first-contact/${isWithout}`, async (signal) =>
    isWithout ? get<Alert[]>('/api/v1/alerts?limit=1', signal) : null,
  ).data.value;
  const hasOne = contacts !== undefined && (contacts.length > 0 || (alerts?.length ?? 0) > 0);
  // Other pages don't ask again.
  useEffect(() => {
    if (hasOne) answered.value = new Set([...answered.peek(), organization]);
  }, [hasOne]);
  if (made.value) return <BreakIt of={made.value} close={() => (made.value = null)} />;
  if (!isAsked || hasOne || !alerts) return null;
  return (
    <Ask
      close={() => setDismissed([...dismissed.value, organization])}
      then={(contact) => {
        made.value = contact;
        answered.value = new Set([...answered.value, organization]);
        then();
      }}
    />
  );
}

function Ask({ close, then }: { close: () => void; then: (made: Contact) => void }) {
  const type = useSignal<FirstChannel>('email');
  const address = useSignal('');
  /** The result of a test, and the values that were tested. It disappears when they change. */
  const verdict = useSignal<{ of: string; test: DeliveryTest } | null>(null);
  const { label, placeholder, pointer } = FIRST_CHANNELS[type.value];
  const body = firstContactBody(type.value, address.value);
  const tested = JSON.stringify(body);
  const isWithoutMail = type.value === 'email' && session.value?.has_mail_account !== true;
  const save = async () => {
    const contact = await post<Contact>(ROOT, body);
    keepGenerated(contact, body.config);
    // The contact exists now, so a later failure is only reported. Saving again would create a second contact.
    await runAction(async () => {
      showToast(madeText(await post(`${ROOT}/${contact.id}/alerts`, { scope: { all: true } })));
    });
    then(contact);
  };
  const test = async () => {
    verdict.value = null;
    verdict.value = { of: tested, test: await post<DeliveryTest>(`${ROOT}/test`, body) };
  };
  return (
    <section class="first-contact" aria-label="Who should be notified?">
      <div class="head">
        <h2>Who should be notified?</h2>
        <Button class="plain" onClick={close}>
          Not now
        </Button>
      </div>
      <p class="muted">No one is notified yet when something goes down.</p>
      <div class="channels" role="group" aria-label="Notify by">
        {(Object.keys(FIRST_CHANNELS) as FirstChannel[]).map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={each === type.value}
            onClick={() => {
              type.value = each;
              address.value = '';
            }}
          >
            <Icon name={FIRST_CHANNELS[each].icon} size={20} />
            {channelName(each)}
          </button>
        ))}
      </div>
      <Form
        key={type.value}
        save={save}
        action="Save and notify"
        more={(form) => (
          <>
            <Button disabled={form.isBusy} onClick={() => form.run(test)}>
              Send a test
            </Button>
            <a href="#/contacts/new">Another channel</a>
          </>
        )}
      >
        {(form) => (
          <>
            {isWithoutMail && (
              <p class="notice warn">
                This server has no email account. <a href="#/contacts/new">Enter one</a>, or ask the operator to set
                SMTP_URL and SMTP_FROM. No email is sent until then.
              </p>
            )}
            <Text
              label={label}
              placeholder={placeholder}
              error={form.problem(pointer)}
              value={address.value}
              set={into(address)}
            />
            <div role="status">
              {verdict.value?.of === tested && (
                <p class={`notice ${verdict.value.test.state === 'delivered' ? 'good' : 'bad'}`}>
                  {verdictText(verdict.value.test)}
                </p>
              )}
            </div>
          </>
        )}
      </Form>
    </section>
  );
}

/** After the first contact is created, shows what an alert will look like. */
function BreakIt({ of, close }: { of: Contact; close: () => void }) {
  const verdict = useSignal<DeliveryTest | null>(null);
  const isBusy = useSignal(false);
  const send = async () => {
    isBusy.value = true;
    await runAction(async () => {
      verdict.value = await testContact(`${ROOT}/${of.id}`);
    });
    isBusy.value = false;
  };
  return (
    <section class="first-contact" aria-label="Send a sample alert">
      <div class="head">
        <h2>Send a sample alert</h2>
        <Button class="plain" onClick={close}>
          Done
        </Button>
      </div>
      <p>
        <a href={`#/contacts/${of.id}`}>{of.name}</a> is notified when something goes down, and when it recovers.
        Endpoints that you add later are included automatically.
      </p>
      <Generated id={of.id} />
      <p class="actions">
        <Button class="primary" disabled={isBusy.value} onClick={send}>
          Send the sample alert
        </Button>
      </p>
      <div role="status">
        {verdict.value && (
          <p class={`notice ${verdict.value.state === 'delivered' ? 'good' : 'bad'}`}>{verdictText(verdict.value)}</p>
        )}
      </div>
    </section>
  );
}
