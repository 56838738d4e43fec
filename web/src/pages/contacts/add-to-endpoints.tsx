import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { Contact } from '../../api/types';
import { Dialog } from '../../components/dialog';
import { Form } from '../../components/form/form';
import { Button } from '../../components/layout';
import { ruleDraftOf, ruleOf, ruleText } from '../../logic/alert-rule';
import { madeText } from '../../logic/contact-draft';
import { EVERYTHING, scopeOf } from '../../logic/maintenance-draft';
import { into } from '../../state/load';
import { ScopeFields } from '../maintenance/scope-fields';
import { useWebsites } from '../maintenance/words';
import { ROOT } from './words';

/** Adds an alert rule for a contact to every selected endpoint that doesn't have one. */
export function AddToEndpoints({ to, onClose }: { to: Contact; onClose: () => void }) {
  const scope = useSignal({ ...EVERYTHING, all: false });
  const websites = useWebsites();
  const made = useSignal('');
  const save = async () => {
    made.value = '';
    made.value = madeText(await post(`${ROOT}/${to.id}/alerts`, { scope: scopeOf(scope.value) }));
  };
  return (
    <Dialog title={`Add ${to.name} to endpoints`} onClose={onClose}>
      <p class="muted">
        Every chosen endpoint without an alert rule for this contact gets one:{' '}
        {ruleText({ ...ruleOf(ruleDraftOf(to.alert_defaults)), type: to.type })}.
      </p>
      <Form save={save} action="Add alert rules" more={() => <Button onClick={onClose}>Close</Button>}>
        {(form) => (
          <ScopeFields
            form={form}
            websites={websites.data.value}
            value={scope.value}
            set={into(scope)}
            label="Endpoints that get it"
            tagsHint="Separated by spaces or commas. Matches endpoints that have one of these tags now, directly or through their website."
          />
        )}
      </Form>
      <div role="status">{made.value !== '' && <p class="notice good">{made.value}</p>}</div>
    </Dialog>
  );
}
