import { useSignal } from '@preact/signals';
import { put, remove, serviceNow } from '../api/client';
import type { Acknowledgement } from '../api/types';
import { acknowledgedBy, acknowledgedHow } from '../logic/acknowledged-text';
import { time } from '../logic/format';
import { now } from '../state/clock';
import { into } from '../state/load';
import { may } from '../state/session';
import { runAction, showToast } from '../state/toast';
import { Dialog } from './dialog';
import { Choice, Text } from './form/field';
import { Form } from './form/form';
import { Icon } from './icons';
import { Button } from './layout';

const pathOf = (of: string): string => `/api/v1/${of}/acknowledgement`;

/**
 * Shows who acknowledged `path` (`endpoints/ep_…`, `incidents/inc_…`). Users who may respond can withdraw the
 * acknowledgement.
 */
export function AcknowledgedBanner(props: { path: string; of: Acknowledgement; onChange: () => void }) {
  const { by, at, note, until } = props.of;
  const withdraw = async () => {
    if (await runAction(() => remove(pathOf(props.path)), 'Acknowledgement removed. Alerts can trigger again.'))
      props.onChange();
  };
  return (
    <div class="notice quiet planned">
      <Icon name="check" />
      <p>
        <strong>Acknowledged by {acknowledgedBy(by)}</strong> at {time(at, now.value)}
        {acknowledgedHow(by)}, {until === null ? 'until it is up' : `until ${time(until, now.value)}`}. No more alerts
        trigger.
        {note !== '' && (
          <>
            <br />
            {note}
          </>
        )}
      </p>
      {may.respond() && <Button onClick={withdraw}>Remove acknowledgement</Button>}
    </div>
  );
}

/** In seconds. `''` means until the endpoint recovers. */
const UNTIL = [
  ['', 'it recovers'],
  ['3600', '1 hour from now'],
  ['14400', '4 hours from now'],
] as const;

/** Acknowledges an endpoint or an incident. No more alerts trigger until it recovers or the chosen time is up. */
export function AcknowledgeDialog(props: { path: string; name: string; onClose: () => void }) {
  const [note, seconds] = [useSignal(''), useSignal<string>('')];
  const save = async () => {
    const until = seconds.value === '' ? null : new Date(serviceNow() + Number(seconds.value) * 1000).toISOString();
    await put(pathOf(props.path), { note: note.value, until });
    showToast(`You acknowledged ${props.name}.`);
    props.onClose();
  };
  return (
    <Dialog title={`Acknowledge ${props.name}`} onClose={props.onClose}>
      <p class="muted">No more alerts trigger while this is acknowledged. You still get the recovery message.</p>
      <Form save={save} action="Acknowledge" isOpen more={() => <Button onClick={props.onClose}>Cancel</Button>}>
        {({ problem }) => (
          <>
            <Text label="Note (optional)" error={problem('/note')} value={note.value} set={into(note)} />
            <Choice label="Until" error={problem('/until')} options={UNTIL} value={seconds.value} set={into(seconds)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
