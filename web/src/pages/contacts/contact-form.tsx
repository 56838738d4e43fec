import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { post, put } from '../../api/client';
import { loadDocument } from '../../api/document';
import type { Contact, DeliveryTest } from '../../api/types';
import { ChannelFields } from '../../components/alert/channel-fields';
import { ChannelPreview } from '../../components/alert/message-preview';
import { RuleFields } from '../../components/alert/rule-fields';
import { Beside } from '../../components/form/beside';
import { Check, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { keepGenerated } from '../../components/form/generated';
import { HelpLink } from '../../components/help-link';
import { Button, Data } from '../../components/layout';
import { ruleOf } from '../../logic/alert-rule';
import { configSchemas, secretsIn } from '../../logic/config-schema';
import { consequenceOf, contactDraftOf, contactRequestOf, isEdited } from '../../logic/contact-draft';
import { helpForChannel } from '../../logic/help-topic';
import { contactDocument } from '../../logic/document-preview';
import { useDraft } from '../../state/drafts';
import { patch, useLoad } from '../../state/load';
import { go } from '../../state/router';
import { showToast } from '../../state/toast';
import { ROOT, verdictText } from './words';

interface Props {
  /** The contact as it was when the form was opened, or `null` for a new one. */
  start: Contact | null;
  onEdit: (isEdited: boolean) => void;
  onSaved: () => void;
}

export function ContactForm({ start, onEdit, onSaved }: Props) {
  const schemas = useLoad('schemas', () => loadDocument().then(configSchemas));
  const { draft, seen, saved } = useDraft(start ? `unsaved changes to ${start.name}` : 'an unsaved contact', () => ({
    draft: signal(contactDraftOf(start)),
    seen: signal(start),
  }));
  /** The result of a test, and the values that were tested. It disappears when they change. */
  const verdict = useSignal<{ of: string; test: DeliveryTest } | null>(null);
  const set = patch(draft);
  const { value } = draft;
  const stored = seen.value;
  useEffect(() => onEdit(stored !== null && isEdited(value, stored)), [value, stored]);
  const path = stored ? `${ROOT}/${stored.id}` : ROOT;
  const body = contactRequestOf(value, stored);
  const save = async () => {
    const response = await (stored ? put<Contact>(path, body, stored) : post<Contact>(path, body));
    keepGenerated(response, body.config);
    if (stored) {
      seen.value = response;
      draft.value = contactDraftOf(response);
    }
    saved();
    showToast(stored ? 'The contact is saved.' : `${response.name} is ready for use in alert rules.`);
    if (!stored) return go(`/contacts/${response.id}`);
    onSaved();
  };
  const tested = JSON.stringify([body.type, body.config]);
  const test = async () => {
    verdict.value = null;
    verdict.value = { of: tested, test: await post<DeliveryTest>(`${ROOT}/test`, body) };
  };
  const consequence = consequenceOf(value, stored);
  return (
    <Data of={schemas}>
      {(channels) => (
        <div class="columns forms">
          <Form
            save={save}
            action={stored ? 'Save' : 'Create'}
            more={(form) =>
              !stored && (
                <Button disabled={form.isBusy} onClick={() => form.run(test)}>
                  Send a test
                </Button>
              )
            }
          >
            {(form) => (
              <>
                <Text
                  label="Name"
                  hint="The people that this contact notifies."
                  placeholder="Operations"
                  error={form.problem('/name')}
                  value={value.name}
                  set={(name) => set({ name })}
                />
                <ChannelFields form={form} schemas={channels} stored={stored} value={value} set={set} />
                {helpForChannel(value.type) !== null && (
                  <p class="small">
                    <HelpLink page={helpForChannel(value.type) ?? ''}>Where do I find these values?</HelpLink>
                  </p>
                )}
                <Check
                  label="Add this contact to new endpoints"
                  value={value.default}
                  set={(isDefault) => set({ default: isDefault })}
                />
                <fieldset class="form part">
                  <legend>Defaults for new alert rules with this contact</legend>
                  <RuleFields
                    form={form}
                    pointer="/alert_defaults"
                    type={value.type}
                    value={value.rule}
                    set={(rule) => set({ rule: { ...value.rule, ...rule } })}
                  />
                </fieldset>
                <div role="status">
                  {verdict.value !== null && verdict.value.of === tested && (
                    <p class={`notice ${verdict.value.test.state === 'delivered' ? 'good' : 'bad'}`}>
                      {verdictText(verdict.value.test)}
                    </p>
                  )}
                </div>
                <div role="status">{consequence !== null && <p class="notice warn">{consequence}</p>}</div>
              </>
            )}
          </Form>
          <Beside
            preview={<ChannelPreview type={value.type} rule={ruleOf(value.rule)} config={body.config} />}
            call={{
              method: stored ? 'PUT' : 'POST',
              path,
              body,
              secrets: secretsIn(channels[value.type] ?? {}, value.config, '/config'),
            }}
            yaml={contactDocument(body, channels[value.type] ?? {})}
          />
        </div>
      )}
    </Data>
  );
}
