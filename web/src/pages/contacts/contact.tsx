import { useSignal } from '@preact/signals';
import { get, post } from '../../api/client';
import type { Contact, DeliveryTest, Organization } from '../../api/types';
import { DeliveryFacts } from '../../components/alert/delivery-state';
import { Generated } from '../../components/form/generated';
import { Button, Data, Facts, Head } from '../../components/layout';
import { ruleDraftOf, ruleOf, ruleText } from '../../logic/alert-rule';
import { channelName } from '../../logic/channel-name';
import { existingText, isUnguarding, madeText } from '../../logic/contact-draft';
import { deleteLater } from '../../state/deletion';
import { forget } from '../../state/drafts';
import { useEvery, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { may } from '../../state/session';
import { runAction, showToast } from '../../state/toast';
import { AddToEndpoints } from './add-to-endpoints';
import { ContactForm } from './contact-form';
import { Replace } from './replace';
import { ContactState, DefaultMark, ROOT, sinceText, testContact, UsedBy, verdictText } from './words';

/** The page for a new or existing contact: where its messages go, and the defaults for its alert rules. */
export function ContactPage({ id }: { id: string | null }) {
  const path = `${ROOT}/${id}`;
  const contact = useLoad(path, (signal) => (id === null ? Promise.resolve(null) : get<Contact>(path, signal)));
  const isDirty = useSignal(false);
  const verdict = useSignal<DeliveryTest | null>(null);
  const dialog = useSignal<'replace' | 'endpoints' | null>(null);
  useEvery(30, () => id !== null && contact.reload());

  const test = () =>
    runAction(async () => {
      verdict.value = null;
      verdict.value = await testContact(path);
    });
  const leave = () => {
    forget(`/contacts/${id}`);
    go('/contacts');
  };
  const destroy = () =>
    runAction(async () => {
      // The number of alert rules may have changed since the page was loaded.
      const { name, alert_count } = await get<Contact>(path);
      contact.reload();
      if (alert_count > 0) {
        dialog.value = 'replace';
      } else {
        deleteLater([{ path, name }], `${name} is deleted.`);
        leave();
      }
    });
  const close = () => {
    dialog.value = null;
    contact.reload();
  };
  return (
    <Data of={contact}>
      {(stored) => (
        <>
          <Head
            parent={['#/contacts', 'Contacts']}
            title={stored?.name ?? 'New contact'}
            owner={stored?.owner}
            actions={
              stored &&
              may.write() && (
                <>
                  <Button class="primary" onClick={test}>
                    Send a test
                  </Button>
                  <Button onClick={() => (dialog.value = 'endpoints')}>Add to endpoints…</Button>
                  <a class="button" href="#/escalation">
                    Escalation
                  </a>
                  <Button class="danger" onClick={destroy}>
                    Delete
                  </Button>
                </>
              )
            }
          >
            {stored && <Summary of={stored} />}
          </Head>
          <div class="findings">
            {stored?.cannot_send && (
              <p class="notice warn">
                <strong>This contact cannot be reached.</strong> {stored.cannot_send}
              </p>
            )}
            {stored?.failing_since && (
              <p class="notice bad">
                Messages through this contact have been failing since {sinceText(stored.failing_since)}.{' '}
                {stored.last_delivery?.error}
              </p>
            )}
            <div role="status">
              {verdict.value && (
                <p class={`notice ${verdict.value.state === 'delivered' ? 'good' : 'bad'}`}>
                  {verdictText(verdict.value)}
                  {isDirty.value && ' The test used the saved settings, not your unsaved changes.'}
                </p>
              )}
            </div>
            <Generated id={id} />
            {stored && may.write() && isUnguarding(stored) && (
              <ForExisting of={stored} then={contact.reload} choose={() => (dialog.value = 'endpoints')} />
            )}
          </div>
          {may.write() ? (
            <ContactForm
              key={id}
              start={stored}
              onEdit={(isEdited) => {
                isDirty.value = isEdited;
              }}
              onSaved={() => {
                verdict.value = null;
                contact.reload();
              }}
            />
          ) : stored ? (
            <ContactFacts of={stored} />
          ) : (
            <p class="muted">You have read-only access.</p>
          )}
          {stored && dialog.value === 'endpoints' && <AddToEndpoints to={stored} onClose={close} />}
          {stored && dialog.value === 'replace' && (
            <Replace
              contact={stored}
              onClose={close}
              onReplaced={(by) => {
                showToast(`${stored.name} is deleted. Its alert rules now notify through ${by}.`);
                leave();
              }}
            />
          )}
        </>
      )}
    </Data>
  );
}

/** Offers to add alert rules to existing endpoints, because they have none for a new default contact. */
function ForExisting({ of, then, choose }: { of: Contact; then: () => void; choose: () => void }) {
  const organization = useLoad('organization', (signal) => get<Organization>('/api/v1/organization', signal));
  const endpoints = organization.data.value?.quotas.endpoints.used ?? 0;
  if (endpoints === 0) return null;
  const add = () =>
    runAction(async () => {
      showToast(madeText(await post(`${ROOT}/${of.id}/alerts`, { scope: { all: true } })));
      then();
    });
  return (
    <div class="notice warn">
      <p>New endpoints get an alert rule with this contact. {existingText(endpoints)}</p>
      <p class="actions">
        <Button onClick={add}>
          Add it to {endpoints === 1 ? 'this endpoint' : `all ${endpoints.toLocaleString('en')}`}
        </Button>
        <Button onClick={choose}>Choose endpoints…</Button>
      </p>
    </div>
  );
}

const Summary = ({ of }: { of: Contact }) => (
  <>
    <p>
      <ContactState of={of} /> {channelName(of.type)}
      {of.destination !== null && ` · notifies ${of.destination}`} · used by <UsedBy of={of} /> <DefaultMark of={of} />
    </p>
    {of.last_delivery !== null && (
      <p>
        Last message: <DeliveryFacts of={{ ...of.last_delivery, error: null }} />
      </p>
    )}
  </>
);

const ContactFacts = ({ of: { type, config, default: isDefault, alert_defaults } }: { of: Contact }) => (
  <Facts
    of={[
      ['Channel', channelName(type)],
      ...Object.entries(config).map(([key, value]) => [key, JSON.stringify(value)] as const),
      ['New endpoints', isDefault ? 'get an alert rule with this contact' : 'get no alert rule with this contact'],
      ['Defaults for new alert rules', ruleText({ ...ruleOf(ruleDraftOf(alert_defaults)), type })],
    ]}
  />
);
