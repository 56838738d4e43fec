import { signal, useSignal } from '@preact/signals';
import { post, put } from '../../api/client';
import type { Alert, Contact, DeliveryTest } from '../../api/types';
import { alertBody, type AlertDraft, alertDraftOf, firstContact, newAlert } from '../../logic/alert-draft';
import { type RuleDraft, ruleDraftOf } from '../../logic/alert-rule';
import { type ConfigSchemas, type ConfigValue, secretsIn } from '../../logic/config-schema';
import { HEARTBEAT_THRESHOLDS, isHeartbeat } from '../../logic/heartbeat';
import { useDraft } from '../../state/drafts';
import { patch } from '../../state/load';
import { itemOf } from '../../state/overview-store';
import { route } from '../../state/router';
import { showToast } from '../../state/toast';
import { ApiCall } from '../form/api-call';
import { Chooser } from '../form/chooser';
import { Check, Text } from '../form/field';
import { Form } from '../form/form';
import { Button } from '../layout';
import { RouteFields } from './route-fields';
import { RuleFields } from './rule-fields';
import { endpointOptions } from './target-filter';

interface Props {
  /** The stored alert, or `null` for a new one. */
  of: Alert | null;
  schemas: ConfigSchemas;
  contacts: readonly Contact[];
  /** `sent` is the config from the request, if there was one. */
  onSaved: (alert: Alert, sent: ConfigValue) => void;
}

export function AlertForm({ of: stored, schemas, contacts, onSaved }: Props) {
  const { draft, own, opened, saved } = useDraft(
    stored ? 'unsaved changes to an alert rule' : 'an unsaved alert rule',
    () => ({
      draft: signal(stored ? alertDraftOf(stored) : asAsked(contacts)),
      /**
       * Settings that the user changed in a new rule. They are kept if the user chooses another contact with different
       * defaults.
       */
      own: signal<Partial<RuleDraft>>({}),
      opened: signal(stored),
    }),
  );
  const verdict = useSignal<DeliveryTest | null>(null);
  const change = patch(draft);
  const set = (changes: Partial<AlertDraft>) => {
    verdict.value = null;
    change(changes);
  };
  const setRule = (changes: Partial<RuleDraft>) => {
    own.value = { ...own.value, ...changes };
    set(changes);
  };
  const choose = (contact: Contact | null) => {
    const begun = stored ? {} : { ...ruleDraftOf(contact?.alert_defaults ?? {}), ...own.value };
    set({ ...begun, contact_id: contact?.id ?? null });
  };
  const isOfJob = isHeartbeat({ type: itemOf(draft.value.endpoint_id)?.type ?? '' });
  const value = isOfJob && stored === null ? { ...draft.value, ...HEARTBEAT_THRESHOLDS, ...own.value } : draft.value;
  const type = contacts.find(({ id }) => id === value.contact_id)?.type ?? value.type;
  const body = alertBody(value, stored);
  const test = async () => {
    verdict.value = null;
    verdict.value = await post<DeliveryTest>('/api/v1/alerts/test', body);
  };
  const path = stored === null ? '/api/v1/alerts' : `/api/v1/alerts/${stored.id}`;
  const save = async () => {
    if (stored === null) {
      const made = await post<Alert>(path, body);
      saved();
      onSaved(made, value.config);
      return;
    }
    const changed = await put<Alert>(path, body, opened.value);
    set({ contact_id: changed.contact_id, type: changed.type, config: changed.config });
    saved();
    showToast('The alert rule is saved.');
    onSaved(changed, value.config);
  };
  return (
    <div class="columns forms">
      <div>
        <Form
          save={save}
          action={stored === null ? 'Create' : 'Save'}
          more={(form) =>
            stored === null && (
              <Button disabled={form.isBusy} onClick={() => form.run(test)}>
                Send a test
              </Button>
            )
          }
        >
          {(form) => (
            <>
              {stored === null && (
                <Chooser
                  label="Endpoint"
                  placeholder="Choose an endpoint"
                  error={form.problem('/endpoint_id')}
                  value={value.endpoint_id}
                  set={(endpoint_id) => set({ endpoint_id })}
                  options={endpointOptions()}
                />
              )}
              <RouteFields
                form={form}
                schemas={schemas}
                contacts={contacts}
                stored={stored}
                value={value}
                set={set}
                choose={choose}
              />
              {isOfJob && (
                <p class="muted small">
                  For heartbeats, one missed or failed run triggers the alert, and one successful run resolves it.
                </p>
              )}
              <RuleFields form={form} pointer="" type={type} value={value} set={setRule} />
              <Text
                label="Description (optional)"
                hint="Included in every notification, for example a runbook link."
                error={form.problem('/description')}
                value={value.description}
                set={(description) => set({ description })}
              />
              <Check label="Enabled" value={value.enabled} set={(enabled) => set({ enabled })} />
            </>
          )}
        </Form>
        <div role="status">
          {verdict.value && (
            <p class={`notice ${verdict.value.state === 'delivered' ? 'good' : 'bad'}`}>
              {verdict.value.state === 'delivered'
                ? `The test message was delivered. ${verdict.value.error ?? ''}`
                : `The test message was not delivered: ${verdict.value.error}`}
            </p>
          )}
        </div>
      </div>
      <ApiCall
        method={stored === null ? 'POST' : 'PUT'}
        path={path}
        body={body}
        secrets={value.contact_id === null ? secretsIn(schemas[type] ?? {}, value.config, '/config') : []}
      />
    </div>
  );
}

/** Returns a new alert for the endpoint and contact given in the URL. */
function asAsked(contacts: readonly Contact[]): AlertDraft {
  const { query } = route.peek();
  return newAlert(query.get('endpoint_id') ?? '', firstContact(contacts, query.get('contact')));
}
