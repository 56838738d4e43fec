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

/** Says who has `path` (`endpoints/ep_…`, `incidents/inc_…`) in hand; whoever may write can take that back. */
export function AcknowledgedBanner(props: { path: string; of: Acknowledgement; onChange: () => void }) {
  const { by, at, note, until } = props.of;
  const withdraw = async () => {
    if (await runAction(() => remove(pathOf(props.path)), 'Nobody has it in hand: alerts may trigger.'))
      props.onChange();
  };
  return (
    <div class="notice quiet planned">
      <Icon name="check" />
      <p>
        <strong>{acknowledgedBy(by)} has it in hand</strong> since {time(at, now.value)}
        {acknowledgedHow(by)}, {until === null ? 'until it is up' : `until ${time(until, now.value)}`}: no further alert
        triggers.
        {note !== '' && (
          <>
            <br />
            {note}
          </>
        )}
      </p>
      {may.write() && <Button onClick={withdraw}>Withdraw</Button>}
    </div>
  );
}

/** Seconds; `''`: until it is up. */
const UNTIL = [
  ['', 'it is up again'],
  ['3600', 'in 1 hour'],
  ['14400', 'in 4 hours'],
] as const;

/** Takes an endpoint or an incident in hand: what has not triggered by then does not, until it is up or a time has come. */
export function AcknowledgeDialog(props: { path: string; name: string; onClose: () => void }) {
  const [note, seconds] = [useSignal(''), useSignal<string>('')];
  const save = async () => {
    const until = seconds.value === '' ? null : new Date(serviceNow() + Number(seconds.value) * 1000).toISOString();
    await put(pathOf(props.path), { note: note.value, until });
    showToast(`${props.name} is in your hands.`);
    props.onClose();
  };
  return (
    <Dialog title={`Acknowledge ${props.name}`} onClose={props.onClose}>
      <p class="muted">You have it in hand: no further alert triggers. That it is up again is told as ever.</p>
      <Form save={save} action="Acknowledge" more={() => <Button onClick={props.onClose}>Cancel</Button>}>
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
