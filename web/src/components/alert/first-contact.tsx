import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post } from '../../api/client';
import type { Alert, Contact, DeliveryTest } from '../../api/types';
import { channelName } from '../../logic/channel-name';
import { madeText } from '../../logic/contact-draft';
import {
  channelsToOffer,
  FIRST_CHANNELS,
  type FirstChannel,
  firstContactBody,
  type MailServer,
  NO_SERVER,
} from '../../logic/first-contact';
import { ROOT, testContact, verdictText } from '../../pages/contacts/words';
import { useContacts } from '../../state/contacts';
import { into, useLoad } from '../../state/load';
import { kept } from '../../state/overview-view';
import { session } from '../../state/session';
import { runAction, showToast } from '../../state/toast';
import { confirmed } from '../dialog';
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
  const hasMail = session.value?.has_mail_account === true;
  const offered = channelsToOffer(hasMail);
  const type = useSignal<FirstChannel>(offered[0] ?? 'slack');
  const address = useSignal('');
  const server = useSignal<MailServer>(NO_SERVER);
  /** The result of a test, and the values that were tested. It disappears when they change. */
  const verdict = useSignal<{ of: string; test: DeliveryTest } | null>(null);
  const { label, placeholder, pointer } = FIRST_CHANNELS[type.value];
  const body = firstContactBody(type.value, address.value, server.value);
  const tested = JSON.stringify(body);
  const isWithoutMail = type.value === 'email' && !hasMail;
  const save = async () => {
    if (isWithoutMail && server.value.host.trim() === '' && !(await confirmed('Save anyway', UNREACHABLE))) return;
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
        {offered.map((each) => (
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
                No mail server is configured. Enter one below, or ask the operator to set SMTP_URL and SMTP_FROM.
              </p>
            )}
            <Text
              label={label}
              placeholder={placeholder}
              error={form.problem(pointer)}
              value={address.value}
              set={into(address)}
            />
            {isWithoutMail && (
              <>
                <Text
                  label="Mail server"
                  placeholder="smtp.example.com"
                  error={form.problem('/config/smtp/host')}
                  value={server.value.host}
                  set={(host) => (server.value = { ...server.value, host })}
                />
                <Text
                  label="User name"
                  error={form.problem('/config/smtp/username')}
                  value={server.value.username}
                  set={(username) => (server.value = { ...server.value, username })}
                />
                <Text
                  label="Password"
                  type="password"
                  error={form.problem('/config/smtp/password')}
                  value={server.value.password}
                  set={(password) => (server.value = { ...server.value, password })}
                />
              </>
            )}
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

const UNREACHABLE = 'No mail server is configured, so this contact cannot be reached until you add one.';

/** After the first contact is created, shows what an alert will look like, or why none can be sent. */
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
      {of.cannot_send !== null && (
        <p class="notice warn">
          <strong>{of.name} is not notified.</strong> {of.cannot_send}{' '}
          <a href={`#/contacts/${of.id}`}>Edit the contact</a>
        </p>
      )}
      <p hidden={of.cannot_send !== null}>
        <a href={`#/contacts/${of.id}`}>{of.name}</a> is notified when something goes down, and when it recovers.
        Endpoints that you add later are included automatically.
      </p>
      <Generated id={of.id} />
      <p class="actions">
        <Button class="primary" disabled={isBusy.value || of.cannot_send !== null} onClick={send}>
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
