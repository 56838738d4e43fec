import { useSignal } from '@preact/signals';
import { get, put } from '../../api/client';
import type { Endpoint, IncidentDetails, IncidentMember } from '../../api/types';
import { Dialog } from '../../components/dialog';
import { Choice } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button } from '../../components/layout';
import { count } from '../../logic/format';
import { isParentProposed } from '../../logic/incident';
import { into } from '../../state/load';
import { may } from '../../state/session';
import { errorMessage, showToast } from '../../state/toast';

/**
 * If several endpoints at one address failed, makes one of them the parent of the others. The next outage then sends
 * only one alert.
 */
export function MakeParent({ of, members }: { of: IncidentDetails; members: readonly IncidentMember[] }) {
  const isOpen = useSignal(false);
  const inOrder = [...members].sort((a, b) => a.started_at.localeCompare(b.started_at));
  const chosen = useSignal('');
  const parent = inOrder.find(({ endpoint_id }) => endpoint_id === chosen.value) ?? inOrder[0];
  if (!may.write() || !parent || !isParentProposed(of)) return null;
  const close = () => {
    isOpen.value = false;
  };
  const save = async () => {
    const failed: string[] = [];
    const others = inOrder.filter((each) => each !== parent);
    for (const { endpoint_id: id, endpoint_name: name } of others) {
      try {
        const child = await get<Endpoint>(`/api/v1/endpoints/${id}`);
        if (child.depends_on.includes(parent.endpoint_id)) continue;
        await put(`/api/v1/endpoints/${id}`, { depends_on: [...child.depends_on, parent.endpoint_id] }, child);
      } catch (error) {
        failed.push(`${name}: ${errorMessage(error)}`);
      }
    }
    if (failed.length > 0) throw new Error(`Some endpoints could not be changed. ${failed.join(' ')}`);
    showToast(`${count(others.length, 'endpoint')} depend on ${parent.endpoint_name}.`);
    close();
  };
  return (
    <>
      <Button onClick={() => (isOpen.value = true)}>Make {parent.endpoint_name} the parent…</Button>
      {isOpen.value && (
        <Dialog title={`Make ${parent.endpoint_name} the parent`} onClose={close}>
          <p>
            {count(inOrder.length - 1, 'endpoint')} at {of.cause?.value ?? 'one address'} will depend on it. While it is
            down, they do not alert, so next time you get one page instead of {inOrder.length}.
          </p>
          <Form save={save} action="Make it the parent" more={() => <Button onClick={close}>Cancel</Button>}>
            {() => (
              <Choice
                label="Parent endpoint"
                value={parent.endpoint_id}
                set={into(chosen)}
                options={inOrder.map((each) => [each.endpoint_id, `${each.endpoint_name} · ${each.website_name}`])}
              />
            )}
          </Form>
        </Dialog>
      )}
    </>
  );
}
