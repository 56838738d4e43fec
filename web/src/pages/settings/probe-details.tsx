import { useSignal } from '@preact/signals';
import { post, put, query, remove } from '../../api/client';
import type { Probe, RotatedProbe } from '../../api/types';
import { confirmed, Dialog } from '../../components/dialog';
import { Check, Choice, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button, Facts } from '../../components/layout';
import { count, day, ms, time } from '../../logic/format';
import { bufferedText, clockText, keptBy, locationOf, troublesOf } from '../../logic/probe';
import { now } from '../../state/clock';
import { into } from '../../state/load';
import { items } from '../../state/overview-store';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';
import { ProbeToken } from './probe-token';

interface Props {
  of: Probe;
  ours: string | null;
  reload: () => void;
}

export function ProbeDetails({ of, ours, reload }: Props) {
  const troubles = troublesOf(of, ours);
  return (
    <div class="probe">
      {troubles.length > 0 && <p class="notice warn">{troubles.join(' ')}</p>}
      <Facts of={factsOf(of)} />
      {may.admin() && <Actions of={of} reload={reload} />}
    </div>
  );
}

const factsOf = (of: Probe): [string, string][] => [
  ['Location', locationOf(of)],
  ['Status since', time(of.status_since, now.value)],
  ['Seen from', of.address ?? '–'],
  ['Checks', of.types?.join(', ') ?? '–'],
  ['Checks per second', of.checks_per_second?.toLocaleString('en') ?? '–'],
  ['Clock', clockText(of.clock_offset_ms)],
  ['Round trip', ms(of.rtt_ms)],
  ['Buffered', bufferedText(of)],
  ['Dropped', `${count(of.dropped ?? 0, 'result')} since its start`],
  ['Skipped', `${count(of.skipped ?? 0, 'check')} since its start`],
  ['Private addresses', of.allow_private ? 'allowed' : 'refused'],
  ['Added', day(of.created_at)],
  ...(of.owner === null ? [] : [['Declared by', of.owner] as [string, string]]),
];

function Actions({ of, reload }: Omit<Props, 'ours'>) {
  const isRotating = useSignal(false);
  const rotated = useSignal<RotatedProbe | null>(null);
  const kept = keptBy(of);
  const path = `/api/v1/probes/${of.id}`;
  const setEnabled = async (enabled: boolean) => {
    const text = `The service refuses ${of.name} from its next request on. Its location has no vote until you enable the probe again.`;
    if (!enabled && !(await confirmed('Disable this probe', text))) return;
    await runAction(() => put(path, { enabled }), `${of.name} is ${enabled ? 'enabled' : 'disabled'}.`);
    reload();
  };
  const destroy = async () => {
    const text = `The token of ${of.name} stops working at once, and its key can be used again.`;
    if (!(await confirmed('Delete this probe', text))) return;
    await runAction(() => remove(path), `${of.name} is deleted.`);
    reload();
  };
  return (
    <>
      <p class="actions">
        <Teller of={of} />
        <Button onClick={() => (isRotating.value = true)}>Rotate the token…</Button>
        <Button onClick={() => setEnabled(!of.enabled)}>{of.enabled ? 'Disable' : 'Enable'}</Button>
        <Button class="danger" disabled={kept !== null} onClick={destroy}>
          Delete
        </Button>
      </p>
      {kept !== null && (
        <p class="muted small">
          It cannot be deleted: {kept} <a href={`#/${query({ location: locationOf(of) })}`}>Show them</a>
        </p>
      )}
      {rotated.value && (
        <ProbeToken key={rotated.value.token} token={rotated.value.token}>
          Copy the new token of “{of.name}” now. It is shown only once. {endText(rotated.value)}
        </ProbeToken>
      )}
      <details>
        <summary>Settings</summary>
        <Settings of={of} reload={reload} />
      </details>
      {isRotating.value && (
        <Rotate
          of={of}
          then={(made) => {
            rotated.value = made;
          }}
          onClose={() => {
            isRotating.value = false;
          }}
        />
      )}
    </>
  );
}

/** Returns how long the previous token continues to work. */
const endText = ({ previous_until: until }: RotatedProbe): string =>
  until === null
    ? 'The old token no longer works.'
    : `The old token stops working when this one is first used, at ${time(until, now.value)} at the latest.`;

/** Shows which PROBE endpoint alerts when the probe is lost, or offers to create one. */
function Teller({ of }: { of: Probe }) {
  const url = `probe:${locationOf(of)}`;
  const teller = items.value?.find((item) => item.type === 'PROBE' && item.url === url);
  return teller ? (
    <a class="button" href={`#/endpoints/${teller.id}`}>
      Monitored by {teller.name}
    </a>
  ) : (
    <a class="button primary" href={`#/new${query({ type: 'PROBE', url, name: `Probe ${of.name}` })}`}>
      Notify me when it goes offline
    </a>
  );
}

const GRACES = [
  ['0', 'at once'],
  ['3600', 'after an hour at the latest'],
  ['86400', 'after a day at the latest'],
] as const;

function Rotate({ of, then, onClose }: { of: Probe; then: (made: RotatedProbe) => void; onClose: () => void }) {
  const grace = useSignal('3600');
  const rotate = async () => {
    then(await post<RotatedProbe>(`/api/v1/probes/${of.id}/rotate`, { grace: Number(grace.value) }));
    onClose();
  };
  return (
    <Dialog title={`Rotate the token of ${of.name}`} onClose={onClose}>
      <p>Creates a new token. The old token keeps working until the new one is first used, so no checks are missed.</p>
      <Form save={rotate} action="Rotate" more={() => <Button onClick={onClose}>Cancel</Button>}>
        {({ problem }) => (
          <Choice
            label="The old token stops working"
            error={problem('/grace')}
            value={grace.value}
            set={into(grace)}
            options={GRACES}
          />
        )}
      </Form>
    </Dialog>
  );
}

function Settings({ of, reload }: Omit<Props, 'ours'>) {
  const [name, region, isPrivate] = [useSignal(of.name), useSignal(of.region), useSignal(of.allow_private)];
  const save = async () => {
    await put(`/api/v1/probes/${of.id}`, {
      name: name.value.trim(),
      region: region.value.trim(),
      allow_private: isPrivate.value,
    });
    reload();
  };
  return (
    <Form save={save} action="Save">
      {({ problem }) => (
        <>
          <div class="form-row">
            <Text label="Name" error={problem('/name')} value={name.value} set={into(name)} />
            <Text label="Region (optional)" error={problem('/region')} value={region.value} set={into(region)} />
          </div>
          <Check label={PRIVATE} value={isPrivate.value} set={into(isPrivate)} />
        </>
      )}
    </Form>
  );
}

/** The label for the setting that allows private addresses. */
export const PRIVATE = 'Allow checks of private and loopback addresses, for example inside an office';
